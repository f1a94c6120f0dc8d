/** Shared by turntable.c (life, status, rest, zero) and turntable_turn.c (turns). */
#pragma once

#include "protocol/turntable/turntable.h"
#include "protocol/turntable/turntable_link.h"

/* A turn under way. */
typedef struct {
    bool active;
    pov_turntable_path path; /* in the table's degrees */
    int leg;
    double from_deg; /* of this leg, the table's */
    int sends, arrivals, strays;
    int64_t sent_ns, late_ns, arrived_ns;
} turntable_turn;

struct pov_turntable {
    pov_turntable_config config;
    pov_turntable_link link;
    int axis;
    bool settings_read, zero_lost;
    int64_t asked_ns;
    turntable_turn turn;
};

int64_t turntable_now_ns(const pov_turntable *self);
int64_t turntable_after(const pov_turntable *self, double seconds);
bool turntable_stop_requested(const pov_turntable *self);
/* A setting of the axis, if it has its own. */
double turntable_setting(const pov_turntable *self, int number);
/* Angles nearer than this are the same. */
double turntable_step_deg(const pov_turntable *self);
double turntable_axis_deg(const pov_turntable *self);
/* The table's angle for the axis', and back. */
double turntable_turned(const pov_turntable *self, double angle_deg);
pov_turntable_bounds turntable_bounds(const pov_turntable *self);
double turntable_speed_deg_s(const pov_turntable *self);
void turntable_fill_status(const pov_turntable *self, pov_turntable_status *status);

/* Starts a path; it must be idle. */
pov_status turntable_begin(pov_turntable *self, const pov_turntable_path *path);
pov_status turntable_need_idle(pov_turntable *self);
pov_status turntable_stop_as_asked(pov_turntable *self);
pov_status turntable_silent(const pov_turntable *self);
pov_status turntable_alarmed(const pov_turntable *self);
