#include "config/files/json_value.h"
#include "config/files/write_file.h"
#include "firmware/demo/demo_files.h"
#include "firmware/demo/demo_uses.h"
#include "firmware/own_commands.h"
#include "firmware/ros2/ros2_look.h"
#include "firmware/station/station.h"
#include "protocol/links/subscriber.h"
#include "protocol/observation/message.h"

#include <cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 120, GOAL_LOOKS = 100, LOOK_US = 100000, ENDPOINT_CAPACITY = 96 };

typedef struct {
    char folder[POV_PATH_CAPACITY], world[POV_PATH_CAPACITY], camera[POV_PATH_CAPACITY],
        robot[POV_PATH_CAPACITY], station[POV_PATH_CAPACITY], heard[POV_PATH_CAPACITY];
    char sockets[64], publish[ENDPOINT_CAPACITY], ask[ENDPOINT_CAPACITY];
} places;

static pov_status set_places(places *p, const char *folder)
{
    POV_TRY(pov_path_join(p->folder, folder, "robot"));
    POV_TRY(pov_path_join(p->world, p->folder, "world.yaml"));
    POV_TRY(pov_path_join(p->camera, p->folder, "camera.yaml"));
    POV_TRY(pov_path_join(p->robot, p->folder, "robot.yaml"));
    POV_TRY(pov_path_join(p->station, p->folder, "station.yaml"));
    POV_TRY(pov_path_join(p->heard, p->folder, "robot.jsonl"));
    POV_TRY(pov_write_folder(folder));
    POV_TRY(pov_write_folder(p->folder));
    snprintf(p->sockets, sizeof p->sockets, "/tmp/pov-demo-XXXXXX");
    if (!mkdtemp(p->sockets))
        return pov_error("%s: cannot make this folder: %s", p->sockets, strerror(errno));
    snprintf(p->publish, sizeof p->publish, "ipc://%s/wire", p->sockets);
    snprintf(p->ask, sizeof p->ask, "ipc://%s/ask", p->sockets);
    return pov_ok();
}

static pov_status write_files(const places *p)
{
    char motion[160], doors[3 * ENDPOINT_CAPACITY];
    snprintf(motion, sizeof motion,
             "motion: {orbit: {thing: red_ball, about: blue_ball}, steps: %d, period_s: %d}\n", STEPS,
             STEPS / 5);
    snprintf(doors, sizeof doors, "publish: {endpoint: \"%s\"}\nask: {endpoint: \"%s\"}\n", p->publish,
             p->ask);
    POV_TRY(pov_demo_file_write(p->world, "world.yaml", motion));
    POV_TRY(pov_demo_file_write(p->camera, "camera.yaml", ""));
    POV_TRY(pov_demo_file_write(p->robot, "robot.yaml", ""));
    return pov_demo_file_write(p->station, "robot_station.yaml", doors);
}

/* Until the station publishes what it judged: both have found each other. */
static pov_status wait_for_judgments(const places *p, pid_t station)
{
    pov_subscriber *subscriber;
    const uint8_t *bytes;
    size_t len;
    POV_TRY(pov_subscriber_new(
        &subscriber, &(pov_subscriber_config){.endpoint = p->publish, .topic = POV_TOPIC_OBSERVATION}));
    const pov_status status = pov_demo_next_message(subscriber, &bytes, &len, station);
    pov_subscriber_destroy(&subscriber);
    return status.code == POV_OK ? status
                                 : pov_error("%s: do nodes find each other here? 'pov doctor %s' looks",
                                             status.message, p->station);
}

static pov_status print_graph(const places *p)
{
    pov_station *station = pov_allocate(1, sizeof *station);
    pov_ros2_look *look = pov_allocate(1, sizeof *look);
    pov_status status = pov_station_read(station, p->station);
    POV_THEN(status, pov_ros2_look_around(look, &station->ros2));
    if (status.code == POV_OK)
        printf("\nIn the robot's graph: %s\nand %s\n", look->nodes, look->topics);
    fflush(stdout);
    free(look);
    free(station);
    return status;
}

static pov_status put_question(const places *p, const char *utterance)
{
    const char *const ask[] = {"pov", "ask", p->publish, "--ask", p->ask, utterance, NULL};
    printf("\n> %s\n", utterance);
    fflush(stdout);
    return pov_own_command_run(ask, NULL);
}

/* Where the robot has the goal by the last whole line of what it judged. */
static bool find_goal(double at_m[3], const char *line)
{
    cJSON *observation = pov_json_parse_text(line);
    const cJSON *entity, *place = NULL;
    cJSON_ArrayForEach(entity, cJSON_GetObjectItem(cJSON_GetObjectItem(observation, "scene"), "entities"))
    {
        const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(entity, "id"));
        if (id && strcmp(id, "goal") == 0)
            place = cJSON_GetObjectItem(entity, "pos_m");
    }
    for (int i = 0; i < 3; i++)
        at_m[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(place, i));
    const bool is_there = cJSON_GetArraySize(place) == 3;
    cJSON_Delete(observation);
    return is_there;
}

static pov_status hear_goal(const places *p)
{
    FILE *heard = fopen(p->heard, "r");
    char *line = NULL;
    size_t capacity = 0;
    double at_m[3];
    bool is_there = false;
    if (!heard)
        return pov_error("%s: %s", p->heard, strerror(errno));
    for (int i = 0; i < GOAL_LOOKS && !is_there; i++) {
        while (!is_there && getline(&line, &capacity, heard) > 0)
            is_there = find_goal(at_m, line);
        clearerr(heard);
        if (!is_there)
            usleep(LOOK_US);
    }
    free(line);
    fclose(heard);
    if (!is_there)
        return pov_error("the robot did not hear the goal on /pov/goal");
    printf("\nThe robot heard it on /pov/goal, as geometry_msgs/msg/PoseStamped: (%.2f, %.2f, %.2f) m\n",
           at_m[0], at_m[1], at_m[2]);
    return pov_ok();
}

static pov_status talk(const places *p, pid_t station)
{
    POV_TRY(wait_for_judgments(p, station));
    POV_TRY(print_graph(p));
    POV_TRY(put_question(p, "is the red ball left of the blue ball?"));
    POV_TRY(put_question(p, "put the red ball to the left of the blue ball"));
    return hear_goal(p);
}

static pov_status run_both(const places *p, const pov_demo_use *use)
{
    const char *const robot[] = {"pov",    "run",    p->robot,       "--rate", "5",
                                 "--loop", "--json", "--no-publish", NULL};
    const char *const station[] = {
        "pov", "run", p->station, "--quiet", use->dashboard ? "--dashboard" : NULL, use->dashboard, NULL};
    pid_t robot_child, station_child;
    printf("Starting a simulated robot, which publishes its head's camera and its transforms: pov run %s "
           "--rate 5 --loop\n",
           p->robot);
    POV_TRY(pov_own_command_start(&robot_child, robot, p->heard));
    printf("Starting the station that joins it: pov run %s\n", p->station);
    pov_status status = pov_own_command_start(&station_child, station, NULL);
    if (status.code == POV_OK) {
        status = talk(p, station_child);
        if (status.code == POV_OK)
            pov_demo_stay("The robot and the station go on");
        pov_own_command_stop(station_child);
    }
    pov_own_command_stop(robot_child);
    return status;
}

pov_status pov_demo_robot(const pov_demo_use *use)
{
    places p;
    POV_TRY(set_places(&p, use->folder));
    pov_status status = write_files(&p);
    POV_THEN(status, run_both(&p, use));
    rmdir(p.sockets);
    if (status.code == POV_OK)
        printf("\nLook at  %s: the station, whose camera is a topic\nand at   docs/ROS2.md: from a driver to "
               "RViz in five minutes\n",
               p.station);
    return status;
}
