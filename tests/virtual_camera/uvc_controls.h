/** The controls of the virtual webcam's camera terminal and processing unit (UVC 1.0a, 4.2.2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** bRequest of class requests. */
enum {
    POV_UVC_SET_CUR = 0x01,
    POV_UVC_GET_CUR = 0x81,
    POV_UVC_GET_MIN,
    POV_UVC_GET_MAX,
    POV_UVC_GET_RES,
    POV_UVC_GET_LEN,
    POV_UVC_GET_INFO,
    POV_UVC_GET_DEF
};

enum { POV_UVC_AE_MODE, POV_UVC_EXPOSURE, POV_UVC_GAIN, POV_UVC_CONTROL_COUNT };

typedef struct {
    int32_t values[POV_UVC_CONTROL_COUNT];
} pov_uvc_controls;

/** All at their defaults. */
pov_uvc_controls pov_uvc_controls_new(void);
bool pov_uvc_controls_automatic(const pov_uvc_controls *controls);

/** Does what the setup packet asks for; `bytes` holds what was sent along, then what is to be sent back.
 *  Returns: its length, or -EPIPE (a stall) if there is no such control. */
int pov_uvc_controls_answer(pov_uvc_controls *controls, uint8_t *bytes, const uint8_t setup[8]);

void pov_uvc_put_le(uint8_t *bytes, uint32_t value, int len);
uint32_t pov_uvc_get_le(const uint8_t *bytes, int len);
