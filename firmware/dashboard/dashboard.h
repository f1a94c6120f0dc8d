/** A running station in a browser: its images with what was found, and what follows, as it happens.
 *
 *  Pages and streams run in threads of their own, and take a bounded share of the machine. The pipeline only copies, and
 *  only while someone watches; what cannot be shown in time is left out. */
#pragma once

#include "firmware/ask/ask_server.h"
#include "firmware/dashboard/snapshot.h"
#include "firmware/http/http_site.h"

enum { POV_DASHBOARD_VIEWER_MAX = 16 };

typedef struct {
    pov_http_place at;
    bool sweeps;    /* the page has a place for a sweep from the start */
    bool simulated; /* it says so before the first image */
} pov_dashboard_place;

typedef struct pov_dashboard pov_dashboard;

/** Serves from now on. At a place that others can reach, only to who knows the URL. */
POV_MUST_USE pov_status pov_dashboard_new(pov_dashboard **dashboard, const pov_dashboard_place *place);
void pov_dashboard_destroy(pov_dashboard **dashboard);

/** With its token, if it has one. */
const char *pov_dashboard_url(const pov_dashboard *dashboard);
/** Prints to stderr: a page's URL ("": the dashboard's), that for people who may look only, and the certificate's fingerprint, if
 *  there are any. label: "dashboard". */
void pov_dashboard_print_place(const pov_dashboard *dashboard, const char *label, const char *page);
/** Number of viewers now. */
int pov_dashboard_viewers(const pov_dashboard *dashboard);

/** Someone watches, and the next update is due. */
bool pov_dashboard_wants(const pov_dashboard *dashboard);
/** The index of the camera whose images viewers want. */
int pov_dashboard_camera(const pov_dashboard *dashboard);
/** Copies what is shown, even without viewers. Call it from one thread at a time. */
void pov_dashboard_show(pov_dashboard *dashboard, const pov_news *news);

/** Shows a line of status. */
void pov_dashboard_say(pov_dashboard *dashboard, const char *step);
/** The state of a sweep, or of models asked live, as JSON (firmware/comparison/live_page.c). */
void pov_dashboard_show_sweep(pov_dashboard *dashboard, const char *json);
/** The state of a study's session, or a rater's, as JSON; the page study.html shows it. `participant`: what the page participant.html, which
 *  a participant sees, may know of it; NULL: there is no such page. */
void pov_dashboard_show_study(pov_dashboard *dashboard, const char *json, const char *participant);
/** The next line that the page sent (a button, a key), of valid UTF-8; false: none. */
bool pov_dashboard_take_line(pov_dashboard *dashboard, char *line, size_t capacity);
/** Answers what the page asks; its exchanges wait to be taken. */
pov_ask_server *pov_dashboard_asked(pov_dashboard *dashboard);
/** A page of HTML, offered to viewers under /report from now on. */
void pov_dashboard_offer_report(pov_dashboard *dashboard, const char *path);
/** A PDF to print, offered under /print.pdf; "": none. */
void pov_dashboard_offer_print(pov_dashboard *dashboard, const char *path);
