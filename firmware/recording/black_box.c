#include "firmware/recording/black_box.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

struct pov_black_box {
    pov_recorder *recorder;
    /* as it was before */
    bool had_pose[POV_CAMERA_MAX];
    int lost_len;
    char lost[POV_ENTITY_MAX][POV_NAME_CAPACITY];
    bool hears_keys;
    struct termios terminal;
    char why[POV_MESSAGE_CAPACITY];
};

/* A signal handler can reach nothing but a global. */
static volatile sig_atomic_t key_signalled;

static void take_signal(int signal_number)
{
    (void)signal_number;
    key_signalled = 1;
}

/* A process in the background would be stopped for reading or setting its terminal. */
static bool is_in_foreground(void)
{
    return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Keys come without Enter. */
static void open_terminal(pov_black_box *black_box)
{
    if (!is_in_foreground() || tcgetattr(STDIN_FILENO, &black_box->terminal) != 0)
        return;
    struct termios keys = black_box->terminal;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    black_box->hears_keys = tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
}

pov_status pov_black_box_new(pov_black_box **black_box, pov_recorder *recorder)
{
    bool waits = false;
    *black_box = NULL;
    for (pov_record_cause cause = 0; cause < POV_RECORD_CAUSE_COUNT; cause++)
        waits |= pov_recorder_waits_for(recorder, cause);
    if (!waits)
        return pov_ok();
    pov_black_box *made = *black_box = calloc(1, sizeof *made);
    if (!made)
        return pov_error("recording: out of memory");
    made->recorder = recorder;
    if (pov_recorder_waits_for(recorder, POV_RECORD_KEY)) {
        const struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART};
        sigaction(SIGUSR1, &action, NULL);
        open_terminal(made);
    }
    return pov_ok();
}

void pov_black_box_destroy(pov_black_box **black_box)
{
    if (!*black_box)
        return;
    if ((*black_box)->hears_keys && is_in_foreground())
        tcsetattr(STDIN_FILENO, TCSANOW, &(*black_box)->terminal);
    free(*black_box);
    *black_box = NULL;
}

const char *pov_black_box_note(pov_black_box *black_box, pov_record_cause cause, const char *why)
{
    if (!black_box || !pov_recorder_waits_for(black_box->recorder, cause))
        return NULL;
    pov_recorder_keep(black_box->recorder, why);
    return why;
}

static bool was_lost(const pov_black_box *black_box, const char *name)
{
    for (int i = 0; i < black_box->lost_len; i++)
        if (strcmp(black_box->lost[i], name) == 0)
            return true;
    return false;
}

static void add_name(char *names, const char *name)
{
    const size_t used = strlen(names);
    snprintf(names + used, POV_MESSAGE_CAPACITY - used, "%s%s", used ? ", " : "lost: ", name);
}

const char *pov_black_box_look(pov_black_box *black_box, const pov_observation *observation, int camera)
{
    if (!black_box)
        return NULL;
    const pov_scene *scene = &observation->scene;
    const bool has_pose = observation->image.pose_source != POV_POSE_UNKNOWN;
    black_box->why[0] = '\0';
    if (black_box->had_pose[camera] && !has_pose)
        add_name(black_box->why, "the camera's pose");
    black_box->had_pose[camera] = has_pose;
    for (pov_id id = 0; id < scene->len; id++)
        if (scene->entities[id].track.lost && !was_lost(black_box, scene->entities[id].name))
            add_name(black_box->why, scene->entities[id].name);
    black_box->lost_len = 0;
    for (pov_id id = 0; id < scene->len; id++)
        if (scene->entities[id].track.lost)
            memcpy(black_box->lost[black_box->lost_len++], scene->entities[id].name, POV_NAME_CAPACITY);
    return *black_box->why ? pov_black_box_note(black_box, POV_RECORD_LOST, black_box->why) : NULL;
}

const char *pov_black_box_hear(pov_black_box *black_box)
{
    if (!black_box)
        return NULL;
    const char *who = key_signalled ? "SIGUSR1 came" : NULL;
    key_signalled = 0;
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    while (black_box->hears_keys && is_in_foreground() && poll(&keys, 1, 0) > 0) {
        char key;
        if (read(STDIN_FILENO, &key, 1) != 1)
            break;
        if (key == 'r' || key == 'R')
            who = "R was pressed";
    }
    return who ? pov_black_box_note(black_box, POV_RECORD_KEY, who) : NULL;
}
