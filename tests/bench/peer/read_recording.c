/* How long reading every message of a recording takes, in seconds: the best of five. Checksums, images and log lines included. */
#include "firmware/clock.h"
#include "protocol/recording/recording.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROUNDS = 5 };

static pov_status read_all(uint64_t *messages, const char *path)
{
    pov_recording *recording;
    pov_recorded_event event;
    pov_status status = pov_recording_open(&recording, path);
    for (*messages = 0; status.code == POV_OK; ++*messages)
        status = pov_recording_next(recording, &event);
    --*messages;
    pov_recording_close(&recording);
    return status;
}

int main(int argc, char **argv)
{
    double best_s = 1e9;
    uint64_t messages = 0;
    for (int i = 0; i < ROUNDS && argc == 2; i++) {
        const int64_t start_ns = pov_clock_monotonic_ns();
        const pov_status status = read_all(&messages, argv[1]);
        if (status.code != POV_END) {
            fprintf(stderr, "%s\n", status.message);
            return 1;
        }
        const double took_s = 1e-9 * (double)(pov_clock_monotonic_ns() - start_ns);
        best_s = took_s < best_s ? took_s : best_s;
    }
    printf("{\"seconds\": %.6f, \"messages\": %" PRIu64 "}\n", best_s, messages);
    return argc == 2 ? 0 : 2;
}
