/* Any bytes at any times: the angles stay finite, the soft limits are kept, what it says are lines, and bytes that come all
 * at once or one by one do the same. A byte 0xf0 to 0xff in the input lets time pass. */
#include "sim/turntable/grbl_controller.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { INPUT_MAX = 600 };

static void check(int condition)
{
    if (!condition)
        abort();
}

static pov_grbl_controller *power_on(uint8_t kind)
{
    pov_grbl_controller_config config = pov_grbl_controller_config_default();
    pov_grbl_controller *controller;
    config.axis = kind & 1 ? 'A' : 'X';
    config.settings.value[POV_GRBL_SETTING_HOMING] = kind & 2;
    config.start_rad = 0.2;
    config.faults.play.backlash_deg = kind & 4 ? 0.5 : 0;
    config.faults.play.lag_s = kind & 8 ? 0.1 : 0;
    config.faults.hang_in_turn = kind & 16 ? 2 : 0;
    config.faults.reset_in_turn = kind & 32 ? 3 : 0;
    check(pov_grbl_controller_new(&controller, &config, 0).code == POV_OK);
    return controller;
}

static int64_t pause_ns(uint8_t byte)
{
    return byte < 0xf0 ? 0 : (int64_t)1000000 << (byte - 0xf0 > 9 ? 9 : byte - 0xf0);
}

/* A hash of its replies. */
static uint64_t listen(pov_grbl_controller *controller, int64_t now_ns)
{
    char said[1000];
    uint64_t hash = 1469598103934665603u;
    for (size_t count; (count = pov_grbl_controller_send(controller, said, sizeof said, now_ns)) > 0;)
        for (size_t i = 0; i < count; i++) {
            check((said[i] >= ' ' && said[i] <= '~') || said[i] == '\r' || said[i] == '\n');
            hash = (hash ^ (uint8_t)said[i]) * 1099511628211u;
        }
    return hash;
}

/* By runs of bytes without a pause between, or byte by byte. */
static uint64_t play(const uint8_t *bytes, size_t length, uint8_t kind, size_t run_max)
{
    pov_grbl_controller *controller = power_on(kind);
    int64_t now_ns = 0;
    for (size_t i = 0; i < length;) {
        size_t run = 0;
        while (i + run < length && run < run_max && pause_ns(bytes[i + run]) == 0)
            run++;
        pov_grbl_controller_receive(controller, (const char *)bytes + i, run, now_ns);
        i += run;
        if (i < length && pause_ns(bytes[i]) > 0)
            now_ns += pause_ns(bytes[i++]);
        check(fabs(pov_grbl_controller_true_rad(controller, now_ns)) < 1e5);
        check(fabs(pov_grbl_controller_commanded_rad(controller, now_ns)) < 1e5);
        check(pov_grbl_controller_due_ns(controller) >= 0);
    }
    uint64_t hash = listen(controller, now_ns);
    pov_grbl_controller_destroy(&controller);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < 1 || length > INPUT_MAX)
        return 0;
    uint8_t kind = bytes[0];
    check(play(bytes + 1, length - 1, kind, INPUT_MAX) == play(bytes + 1, length - 1, kind, 1));
    return 0;
}
