/** Reports a station's state to systemd; does nothing without systemd. The watchdog is fed by processed images, not
 *  by the loop: if the camera hangs, systemd restarts the station. */
#pragma once

#include "protocol/observation/message.h"

#include <stdint.h>

/** Plain data; set up by pov_service_start. */
typedef struct {
    int64_t watchdog_ns; /* it restarts a station that it has not heard of for so long; 0: never */
    int64_t image_ns;    /* when the last image had passed */
    int64_t told_ns;     /* when the watchdog last heard of one */
    bool ready;
} pov_service;

pov_service pov_service_start(int64_t now_ns);
/** An image was judged. The first makes the service ready. */
void pov_service_image(pov_service *service, int64_t now_ns);
/** The line of `systemctl status`. */
void pov_service_say(const pov_service *service, const pov_health *health, int64_t now_ns);
void pov_service_stopping(void);
