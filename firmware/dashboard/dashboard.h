/** A running station in a browser: its images with what was found, and what follows, as it happens.
 *
 *  Pages and streams run in threads of their own. The pipeline only copies, and only while someone watches; what
 *  cannot be shown in time is left out. */
#ifndef POV_FIRMWARE_DASHBOARD_DASHBOARD_H
#define POV_FIRMWARE_DASHBOARD_DASHBOARD_H

#include "perception/image.h"
#include "perception/observation.h"

enum { POV_DASHBOARD_VIEWER_MAX = 16, POV_DASHBOARD_ADDRESS_CAPACITY = 128 };

typedef struct {
    char address[POV_DASHBOARD_ADDRESS_CAPACITY];
    int port;
} pov_dashboard_place;

/** "[HOST:]PORT"; without a host: this machine only. False if it is neither. */
POV_MUST_USE bool pov_dashboard_place_parse(pov_dashboard_place *place, const char *text);

typedef struct pov_dashboard pov_dashboard;

/** Serves from now on. At a place that others can reach, only to who knows the URL. */
POV_MUST_USE pov_status pov_dashboard_new(pov_dashboard **dashboard, const pov_dashboard_place *place);
void pov_dashboard_destroy(pov_dashboard **dashboard);

/** With its token, if it has one. */
const char *pov_dashboard_url(const pov_dashboard *dashboard);

typedef struct {
    bool picture, observation;
} pov_dashboard_wish;

/** What someone watches, and is due. */
pov_dashboard_wish pov_dashboard_wishes(const pov_dashboard *dashboard);

/** Copies what there is to show. picture: NULL without one. Call it from one thread. */
void pov_dashboard_show(pov_dashboard *dashboard, const pov_observation *observation,
                        const pov_image *picture, const pov_health *health);

#endif
