#include "protocol/observation/health_wire.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_health_packer {
    Pov__Health health;
    Pov__MovedTag moved[POV_MOVED_TAG_MAX];
    Pov__MovedTag *moved_list[POV_MOVED_TAG_MAX];
    Pov__StageTime stages[POV_STAGE_TIME_MAX];
    Pov__StageTime *stage_list[POV_STAGE_TIME_MAX];
};

pov_status pov_health_packer_new(pov_health_packer **packer)
{
    *packer = calloc(1, sizeof **packer);
    return *packer != NULL ? pov_ok() : pov_error("out of memory for the message encoder");
}

void pov_health_packer_destroy(pov_health_packer **packer)
{
    free(*packer);
    *packer = NULL;
}

static void pack_moved_tag(Pov__MovedTag *wire, const pov_moved_tag *moved)
{
    pov__moved_tag__init(wire);
    wire->family = (Pov__TagFamily)(moved->family + 1);
    wire->id = (uint32_t)moved->id;
    wire->images = (uint32_t)moved->images;
    wire->moved_m = moved->moved_m;
    wire->moved_std_m = moved->moved_std_m;
    wire->turned_rad = moved->turned_rad;
    wire->turned_std_rad = moved->turned_std_rad;
}

static void pack_stages(pov_health_packer *packer, const pov_health *health)
{
    for (int i = 0; i < health->stage_len; i++) {
        Pov__StageTime *wire = packer->stage_list[i] = &packer->stages[i];
        pov__stage_time__init(wire);
        wire->name = (char *)health->stages[i].name;
        wire->mean_s = health->stages[i].mean_s;
        wire->max_s = health->stages[i].max_s;
    }
    packer->health.n_stages = (size_t)health->stage_len;
    packer->health.stages = packer->stage_list;
}

Pov__Health *pov_health_pack(pov_health_packer *packer, const pov_health *health)
{
    Pov__Health *wire = &packer->health;
    pov__health__init(wire);
    for (int i = 0; i < health->moved_tag_len; i++)
        pack_moved_tag(packer->moved_list[i] = &packer->moved[i], &health->moved_tags[i]);
    wire->n_moved_tags = (size_t)health->moved_tag_len;
    wire->moved_tags = packer->moved_list;
    pack_stages(packer, health);
    wire->images_waiting = health->images_waiting;
    wire->messages_waiting = health->messages_waiting;
    wire->now_ns = health->now_ns;
    wire->images_processed = health->images_processed;
    wire->images_skipped = health->images_skipped;
    wire->images_lost = health->images_lost;
    wire->camera_reconnects = health->camera_reconnects;
    wire->rate_hz = health->rate_hz;
    wire->latency_p50_s = health->latency_p50_s;
    wire->latency_p99_s = health->latency_p99_s;
    if (!isnan(health->rate_hz))
        wire->rate_presence_case = POV__HEALTH__RATE_PRESENCE_RATE_HZ;
    if (!isnan(health->latency_p50_s))
        wire->latency_p50_presence_case = POV__HEALTH__LATENCY_P50_PRESENCE_LATENCY_P50_S;
    if (!isnan(health->latency_p99_s))
        wire->latency_p99_presence_case = POV__HEALTH__LATENCY_P99_PRESENCE_LATENCY_P99_S;
    wire->subscribers = health->subscribers;
    wire->messages_sent = health->messages_sent;
    wire->messages_lost = health->messages_lost;
    wire->refused = health->refused;
    return wire;
}

static pov_status unpack_known(double *number, bool present, double wire, const char *field)
{
    *number = present ? wire : NAN;
    return present && !isfinite(wire) ? pov_error("health: %s is not finite", field) : pov_ok();
}

static pov_status unpack_moved_tags(pov_health *health, const Pov__Health *wire)
{
    if (wire->n_moved_tags > POV_MOVED_TAG_MAX)
        return pov_error("health: there are %zu moved_tags; at most %d fit", wire->n_moved_tags,
                         POV_MOVED_TAG_MAX);
    health->moved_tag_len = (int)wire->n_moved_tags;
    for (int i = 0; i < health->moved_tag_len; i++) {
        const Pov__MovedTag *tag = wire->moved_tags[i];
        const int family = (int)tag->family; /* the compiler may have chosen an unsigned type */
        if (family < 1 || family > POV_TAG_FAMILY_COUNT)
            return pov_error("health: a moved tag's family is %d, which this version does not know", family);
        if (tag->id > INT_MAX || tag->images > INT_MAX)
            return pov_error("health: a moved tag's id or images is too large");
        health->moved_tags[i] = (pov_moved_tag){(pov_tag_family)(family - 1),
                                                (int)tag->id,
                                                (int)tag->images,
                                                tag->moved_m,
                                                tag->moved_std_m,
                                                tag->turned_rad,
                                                tag->turned_std_rad};
    }
    return pov_ok();
}

static pov_status unpack_stages(pov_health *health, const Pov__Health *wire)
{
    if (wire->n_stages > POV_STAGE_TIME_MAX)
        return pov_error("health: there are %zu stages; at most %d fit", wire->n_stages, POV_STAGE_TIME_MAX);
    health->stage_len = (int)wire->n_stages;
    for (int i = 0; i < health->stage_len; i++) {
        const Pov__StageTime *stage = wire->stages[i];
        if (strlen(stage->name) >= POV_STAGE_NAME_CAPACITY)
            return pov_error("health: the name of stage %d is too long", i);
        strcpy(health->stages[i].name, stage->name);
        health->stages[i].mean_s = stage->mean_s;
        health->stages[i].max_s = stage->max_s;
    }
    return pov_ok();
}

pov_status pov_health_unpack(pov_health *health, const Pov__Health *wire)
{
    *health = (pov_health){
        .now_ns = wire->now_ns,
        .images_processed = wire->images_processed,
        .images_skipped = wire->images_skipped,
        .images_lost = wire->images_lost,
        .camera_reconnects = wire->camera_reconnects,
        .subscribers = wire->subscribers,
        .messages_sent = wire->messages_sent,
        .messages_lost = wire->messages_lost,
        .refused = wire->refused,
        .images_waiting = wire->images_waiting,
        .messages_waiting = wire->messages_waiting,
    };
    POV_TRY(unpack_moved_tags(health, wire));
    POV_TRY(unpack_stages(health, wire));
    POV_TRY(unpack_known(&health->rate_hz, wire->rate_presence_case != 0, wire->rate_hz, "rate_hz"));
    POV_TRY(unpack_known(&health->latency_p50_s, wire->latency_p50_presence_case != 0, wire->latency_p50_s,
                         "latency_p50_s"));
    return unpack_known(&health->latency_p99_s, wire->latency_p99_presence_case != 0, wire->latency_p99_s,
                        "latency_p99_s");
}
