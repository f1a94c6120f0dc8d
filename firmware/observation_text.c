#include "firmware/observation_text.h"

#include "perception/geom.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

static double degrees(double angle_rad)
{
    return angle_rad * (180 / POV_PI);
}

/* Control characters could move a terminal's cursor: image names come from outside. */
static void print_name(FILE *stream, const char *name)
{
    for (; *name != '\0'; name++)
        fputc((unsigned char)*name < ' ' || *name == 0x7f ? '?' : *name, stream);
}

static void print_time(FILE *stream, int64_t time_ns)
{
    int64_t ms = time_ns / 1000000;
    time_t seconds = (time_t)(ms / 1000);
    struct tm utc;
    char text[32];
    if (time_ns < 0 || gmtime_r(&seconds, &utc) == NULL ||
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        return;
    fprintf(stream, "  %s.%03dZ", text, (int)(ms % 1000));
}

static void print_entity(FILE *stream, const pov_scene *scene, const pov_entity *entity)
{
    fprintf(stream, "  %-16s %-12s ", entity->name, entity->class_name);
    if (entity->placed) {
        double cov_m2[3][3];
        pov_scene_position_cov(scene, cov_m2, &entity->position);
        double std_m = sqrt(cov_m2[0][0] + cov_m2[1][1] + cov_m2[2][2]);
        pov_vec3 mean_m = entity->position.mean_m;
        fprintf(stream, "at (%.3f, %.3f, %.3f) m +- %.4f", mean_m.x, mean_m.y, mean_m.z, std_m);
    } else {
        fputs("not placed", stream);
    }
    for (int i = 0; i < entity->heading.len; i++)
        fprintf(stream, "%s%.1f deg", i == 0 ? ", heading " : " or ",
                degrees(entity->heading.mode[i].yaw_rad));
    fprintf(stream, "%s%s\n", entity->seen ? ", seen" : "", entity->addressee ? ", addressee" : "");
}

static void print_judgment(FILE *stream, const pov_scene *scene, const pov_judgment *judgment)
{
    const pov_query *query = &judgment->query;
    const char *convention = pov_convention_name(query->convention);
    fprintf(stream, "  %-11s %-12s %-11s %-11s %-11s ", pov_perspective_name(query->perspective),
            query->viewer == POV_ID_NONE ? "-" : scene->entities[query->viewer].name,
            convention == NULL ? "-" : convention, pov_axis_name(query->axis),
            pov_acceptance_name(query->acceptance));
    fprintf(stream, "%c %.3f  %7.2f +- %.2f deg  %s %s %s\n",
            judgment->belief.verdict == POV_ABSTAIN ? '?' : ' ', judgment->belief.p,
            degrees(judgment->theta_rad), degrees(judgment->theta_std_rad),
            scene->entities[query->referent].name, pov_relation_name(query->relation),
            scene->entities[query->relatum].name);
}

static void print_judgments(FILE *stream, const pov_observation *observation)
{
    fprintf(stream, "  %-11s %-12s %-11s %-11s %-11s   %-5s  %-15s  %s\n", "perspective", "viewer",
            "convention", "axis", "acceptance", "p", "theta", "holds (?: too close to call)");
    for (int perspective = 0; perspective < POV_PERSPECTIVE_COUNT; perspective++) {
        for (int i = 0; i < observation->judgment_len; i++) {
            const pov_judgment *judgment = &observation->judgments[i];
            if ((int)judgment->query.perspective == perspective &&
                (judgment->belief.verdict == POV_TRUE || judgment->belief.verdict == POV_ABSTAIN))
                print_judgment(stream, &observation->scene, judgment);
        }
    }
    if (observation->judgments_truncated)
        fprintf(stream, "  ... and more than fit into one message\n");
}

void pov_text_observation(FILE *stream, const pov_observation *observation)
{
    const pov_image_header *image = &observation->image;
    print_name(stream, image->name);
    fprintf(stream, "  #%" PRIu32, image->sequence);
    print_time(stream, image->capture_ns);
    fprintf(stream, "  %d x %d px  camera pose: %s\n", image->width_px, image->height_px,
            pov_pose_source_name(image->pose_source));
    for (int i = 0; i < observation->scene.len; i++)
        print_entity(stream, &observation->scene, &observation->scene.entities[i]);
    if (observation->judgment_len > 0)
        print_judgments(stream, observation);
    fputc('\n', stream);
}

void pov_text_health(FILE *stream, const pov_health *health)
{
    fprintf(stream, "health:");
    print_time(stream, health->now_ns);
    fprintf(stream,
            "  images: %" PRIu64 " processed, %" PRIu64 " skipped, %" PRIu64 " lost; reconnects: %" PRIu64,
            health->images_processed, health->images_skipped, health->images_lost, health->camera_reconnects);
    if (!isnan(health->rate_hz))
        fprintf(stream, "; %.1f images/s", health->rate_hz);
    if (!isnan(health->latency_p50_s) && !isnan(health->latency_p99_s))
        fprintf(stream, "; latency %.1f ms (p99 %.1f ms)", 1e3 * health->latency_p50_s,
                1e3 * health->latency_p99_s);
    fprintf(stream, "; subscribers: %" PRIu32 "; messages: %" PRIu64 " sent, %" PRIu64 " lost\n",
            health->subscribers, health->messages_sent, health->messages_lost);
}
