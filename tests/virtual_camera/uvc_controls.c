#include "tests/virtual_camera/uvc_controls.h"

#include "tests/virtual_camera/uvc_descriptors.h"

#include <errno.h>

enum { AE_MANUAL = 1, AE_APERTURE_PRIORITY = 8 };
enum { INFO_GET_AND_SET = 3 };

typedef struct {
    uint8_t unit, selector, len;
    int32_t min, max, step, normal;
} control;

static const control table[POV_UVC_CONTROL_COUNT] = {
    [POV_UVC_AE_MODE] = {POV_UVC_CAMERA_TERMINAL, 2, 1, AE_MANUAL, AE_APERTURE_PRIORITY,
                         AE_MANUAL | AE_APERTURE_PRIORITY, AE_APERTURE_PRIORITY}, /* step: the modes it has */
    [POV_UVC_EXPOSURE] = {POV_UVC_CAMERA_TERMINAL, 4, 4, 1, 1000, 1, 156},        /* 100 us */
    [POV_UVC_GAIN] = {POV_UVC_PROCESSING_UNIT, 4, 2, 0, 255, 1, 64},
};

void pov_uvc_put_le(uint8_t *bytes, uint32_t value, int len)
{
    for (int i = 0; i < len; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

uint32_t pov_uvc_get_le(const uint8_t *bytes, int len)
{
    uint32_t value = 0;
    for (int i = 0; i < len; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

pov_uvc_controls pov_uvc_controls_new(void)
{
    pov_uvc_controls controls;
    for (int i = 0; i < POV_UVC_CONTROL_COUNT; i++)
        controls.values[i] = table[i].normal;
    return controls;
}

bool pov_uvc_controls_automatic(const pov_uvc_controls *controls)
{
    return controls->values[POV_UVC_AE_MODE] != AE_MANUAL;
}

static int32_t value_for(const pov_uvc_controls *controls, int index, int request)
{
    switch (request) {
    case POV_UVC_GET_MIN:
        return table[index].min;
    case POV_UVC_GET_MAX:
        return table[index].max;
    case POV_UVC_GET_RES:
        return table[index].step;
    case POV_UVC_GET_DEF:
        return table[index].normal;
    default:
        return controls->values[index];
    }
}

static int answer_one(pov_uvc_controls *controls, uint8_t *bytes, int index, int request)
{
    int len = table[index].len;
    switch (request) {
    case POV_UVC_SET_CUR:
        controls->values[index] = (int32_t)pov_uvc_get_le(bytes, len);
        return len;
    case POV_UVC_GET_INFO:
        bytes[0] = INFO_GET_AND_SET;
        return 1;
    case POV_UVC_GET_LEN:
        pov_uvc_put_le(bytes, (uint32_t)len, 2);
        return 2;
    default:
        pov_uvc_put_le(bytes, (uint32_t)value_for(controls, index, request), len);
        return len;
    }
}

int pov_uvc_controls_answer(pov_uvc_controls *controls, uint8_t *bytes, const uint8_t setup[8])
{
    int request = setup[1], selector = setup[3], unit = setup[5];
    for (int i = 0; i < POV_UVC_CONTROL_COUNT; i++)
        if (table[i].unit == unit && table[i].selector == selector)
            return answer_one(controls, bytes, i, request);
    return -EPIPE;
}
