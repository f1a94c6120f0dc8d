#include "firmware/run/service.h"

#include <math.h>
#include <systemd/sd-daemon.h>

pov_service pov_service_start(int64_t now_ns)
{
    uint64_t watchdog_us = 0;
    if (sd_watchdog_enabled(0, &watchdog_us) <= 0)
        watchdog_us = 0;
    sd_notify(0, "STATUS=waiting for the first image");
    return (pov_service){.watchdog_ns = (int64_t)watchdog_us * 1000, .image_ns = now_ns, .told_ns = now_ns};
}

void pov_service_image(pov_service *service, int64_t now_ns)
{
    service->image_ns = now_ns;
    if (!service->ready)
        sd_notify(0, "READY=1");
    service->ready = true;
    if (service->watchdog_ns == 0 || now_ns - service->told_ns < service->watchdog_ns / 4)
        return;
    sd_notify(0, "WATCHDOG=1");
    service->told_ns = now_ns;
}

void pov_service_say(const pov_service *service, const pov_health *health, int64_t now_ns)
{
    const double quiet_s = (double)(now_ns - service->image_ns) * 1e-9;
    if (quiet_s > 5)
        sd_notifyf(0, "STATUS=no image for %.0f s; %llu judged before", quiet_s,
                   (unsigned long long)health->images_processed);
    else if (isnan(health->latency_p50_s))
        sd_notifyf(0, "STATUS=%.1f images/s, %llu judged, %llu skipped, %llu lost", health->rate_hz,
                   (unsigned long long)health->images_processed, (unsigned long long)health->images_skipped,
                   (unsigned long long)health->images_lost);
    else
        sd_notifyf(0, "STATUS=%.1f images/s, %llu judged, %llu skipped, %llu lost; each %.0f ms, p99 %.0f ms",
                   health->rate_hz, (unsigned long long)health->images_processed,
                   (unsigned long long)health->images_skipped, (unsigned long long)health->images_lost,
                   1e3 * health->latency_p50_s, 1e3 * health->latency_p99_s);
}

void pov_service_stopping(void)
{
    sd_notify(0, "STOPPING=1");
}
