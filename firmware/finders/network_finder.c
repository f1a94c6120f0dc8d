/* Networks, and the person detector, which may take bodies from them: on each image as it comes, or in a thread of their own
 * on the newest one. */
#include "config/files/nearest_name.h"
#include "config/models/model_file.h"
#include "firmware/clock.h"
#include "firmware/finders/finders.h"
#include "firmware/model/model_trial.h"
#include "perception/models/model_contract.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double far_m = 1e5; /* bound for lengths in the station file; chosen */

/* Of a face in a network's input: YuNet is trained on 10 pixels and more (Feng 2021); half as much again to be sure. */
static const double least_face_px = 15;

/* ---- networks in the station file ---- */

/* Read once to complain in time; they are read again, with their networks, when the station starts. */
static void check_contract(pov_model_file *file, pov_yaml_node node, const char *path,
                           const pov_model_layout *shown)
{
    if (pov_yaml_failed(node.file))
        return;
    const pov_status status = pov_model_file_read(file, path);
    if (status.code != POV_OK)
        pov_yaml_complain(node, "%s", status.message);
    else if (shown && file->contract.layout != *shown)
        pov_yaml_complain(node, "layout %s %s; name a contract of layout %s",
                          pov_model_layout_name(file->contract.layout),
                          pov_model_finds(file->contract.layout)        ? "finds things"
                          : file->contract.layout == POV_LAYOUT_DEPTH   ? "tells depth"
                          : file->contract.layout == POV_LAYOUT_HEADING ? "tells headings"
                                                                        : "tells points",
                          pov_model_layout_name(*shown));
    else if (!shown && !pov_model_finds(file->contract.layout))
        pov_yaml_complain(
            node, "layout %s finds nothing by itself%s", pov_model_layout_name(file->contract.layout),
            file->contract.layout == POV_LAYOUT_HEADING ? "; name it as the heading of a detector"
            : file->contract.layout == POV_LAYOUT_SIMCC
                ? "; name it as the points of a detector"
                : ": it is a depth network, whose numbers have no scale; a station uses none");
}

static void read_network(pov_network_settings *networks, int at, pov_yaml_node node)
{
    char *detector = networks->networks[at].detector, *heading = networks->networks[at].heading,
         *points = networks->networks[at].points;
    pov_yaml_node detector_node = pov_yaml_need(node, "contract", "what 'pov model check' wrote");
    pov_yaml_node heading_node = pov_yaml_get(node, "heading"), points_node = pov_yaml_get(node, "points");
    pov_model_file *file = malloc(sizeof *file);
    if (!file) {
        pov_yaml_complain(node, "out of memory");
        return;
    }
    pov_yaml_relative_path(detector, POV_FINDER_PATH_CAPACITY, detector_node);
    check_contract(file, detector_node, detector, NULL);
    if (pov_yaml_exists(heading_node)) {
        pov_yaml_relative_path(heading, POV_FINDER_PATH_CAPACITY, heading_node);
        check_contract(file, heading_node, heading, &(pov_model_layout){POV_LAYOUT_HEADING});
    }
    if (pov_yaml_exists(points_node)) {
        pov_yaml_relative_path(points, POV_FINDER_PATH_CAPACITY, points_node);
        check_contract(file, points_node, points, &(pov_model_layout){POV_LAYOUT_SIMCC});
    }
    free(file);
}

static void read_networks(pov_finder_settings *settings, pov_yaml_node node)
{
    pov_network_settings *networks = &settings->networks;
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_node detectors = pov_yaml_get(node, "detectors");
    pov_yaml_bool(&networks->in_background, pov_yaml_get(node, "in_background"));
    pov_model_read_engine(&networks->engine, node);
    const int len = pov_yaml_length(detectors);
    if (len > POV_MODEL_MAX)
        pov_yaml_complain(detectors, "at most %d detectors", POV_MODEL_MAX);
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        read_network(networks, i, pov_yaml_at(detectors, i));
        networks->len = i + 1;
    }
}

/* If not, the class with the most similar name goes to `nearest`. */
static bool knows_class(const pov_model_contract *contract, const char *class_name,
                        char nearest[POV_NAME_CAPACITY])
{
    const char *names[POV_MODEL_CLASS_MAX];
    for (int i = 0; i < contract->class_len; i++) {
        names[i] = contract->classes[i];
        if (strcmp(names[i], class_name) == 0)
            return true;
    }
    const char *near = pov_nearest_name(class_name, names, contract->class_len);
    if (near)
        strcpy(nearest, near);
    return false;
}

/* Out: nearest: the class with the most similar name, or "". */
static bool any_knows_class(const pov_network_settings *networks, const char *class_name,
                            char nearest[POV_NAME_CAPACITY])
{
    bool known = false;
    pov_model_file *file = malloc(sizeof *file);
    *nearest = '\0';
    for (int i = 0; file && i < networks->len && !known; i++)
        known = pov_model_file_read(file, networks->networks[i].detector).code == POV_OK &&
                knows_class(&file->contract, class_name, nearest);
    free(file);
    return known;
}

static void check_class(const pov_network_settings *networks, const char *class_name, pov_yaml_node node)
{
    char nearest[POV_NAME_CAPACITY];
    if (!any_knows_class(networks, class_name, nearest))
        pov_yaml_complain(node, "no detector of 'models' finds the class '%s'%s%s%s", class_name,
                          *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
}

/* ---- entries of the cast ---- */

static void read_modelled(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    (void)settings; /* its class is looked up once all of the file is read */
    const pov_vec3 size_m = member->entity.size_m;
    pov_yaml_node model = pov_yaml_get(node, "model");
    member->model = (pov_model_build)POV_MODEL_BUILD_DEFAULT;
    member->count = 1;
    snprintf(member->model.class_name, sizeof member->model.class_name, "%s", member->entity.class_name);
    pov_yaml_copy_name(member->model.class_name, sizeof member->model.class_name,
                       pov_yaml_get(model, "class"));
    pov_yaml_number(&member->model.stands_on_m, pov_yaml_get(model, "stands_on_m"), -far_m, far_m);
    pov_yaml_number(&member->model.stands_on_std_m, pov_yaml_get(model, "stands_on_std_m"), 0, far_m);
    pov_yaml_number(&member->model.box_std_share, pov_yaml_get(model, "box_std_share"), 1e-4, 1);
    pov_yaml_integer(&member->count, pov_yaml_get(model, "count"), 1, POV_MODEL_COUNT_MAX);
    if (!(size_m.x > 0 && size_m.y > 0 && size_m.z > 0))
        pov_yaml_complain(node, "found_by: model places it by its size: give size_m");
}

/* Nobody can tell two people apart by their outlines. */
static void check_alone(const pov_cast *cast, pov_yaml_node node)
{
    const char *first = NULL;
    for (int i = 0; i < cast->len; i++) {
        const pov_cast_member *member = &cast->members[i];
        if (member->found_by != &pov_found_by_person)
            continue;
        if (first)
            pov_yaml_complain(
                pov_yaml_at(node, i),
                "only one entity can be found_by: person, as '%s' is; give it person: {count: 2}, "
                "or let the others wear tags",
                first);
        first = member->entity.name;
    }
}

static void read_person(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    pov_person_detector_config *people = &settings->networks.people;
    pov_person_build *build = &member->person;
    bool faces = !people->without_faces;
    settings->networks.wants_people = true;
    *build = (pov_person_build){.height_m = 1.7, .height_std_m = NAN};
    pov_yaml_number(&build->height_m, pov_yaml_get(node, "height_m"), 1e-3, far_m);
    pov_yaml_number(&build->height_std_m, pov_yaml_get(node, "height_std_m"), 1e-6, far_m);
    pov_yaml_number(&build->stands_on_m, pov_yaml_get(node, "stands_on_m"), -far_m, far_m);
    pov_yaml_copy_filled(people->network_class, sizeof people->network_class, pov_yaml_get(node, "class"));
    member->count = 1;
    pov_yaml_integer(&member->count, pov_yaml_get(node, "count"), 1, POV_PERSON_MAX);
    pov_yaml_bool(&faces, pov_yaml_get(node, "faces"));
    pov_yaml_relative_path(people->cascade_folder, sizeof people->cascade_folder,
                           pov_yaml_get(node, "cascades"));
    people->without_faces = !faces;
    if (isnan(build->height_std_m)) /* adults: 7 cm within a sex, and the difference between sexes; chosen */
        build->height_std_m = 0.06 * build->height_m;
    pov_vec3 *size_m = &member->entity.size_m;
    if (!(size_m->z > 0))
        *size_m = pov_vec3_scale((pov_vec3){0.18, 0.28, 1}, build->height_m);
}

static void check_classes(const pov_network_settings *networks, const pov_cast *cast, pov_yaml_node node)
{
    for (int i = 0; i < cast->len && !pov_yaml_failed(node.file); i++) {
        const pov_cast_member *member = &cast->members[i];
        if (member->found_by != &pov_found_by_model)
            continue;
        check_class(networks, member->model.class_name, pov_yaml_at(node, i));
        for (int k = 0; k < i; k++)
            if (cast->members[k].found_by == &pov_found_by_model &&
                strcmp(cast->members[k].model.class_name, member->model.class_name) == 0)
                pov_yaml_complain(pov_yaml_at(node, i),
                                  "'%s' is found by the class '%s', too; give one entity with count: 2",
                                  cast->members[k].entity.name, member->model.class_name);
    }
}

/* Bodies come from a detector that knows the class that the station file names, or `person`; else from HOG. */
static void choose_body_finder(pov_network_settings *networks, pov_yaml_node cast)
{
    char *class_name = networks->people.network_class, nearest[POV_NAME_CAPACITY];
    if (pov_yaml_failed(cast.file))
        return;
    if (*class_name)
        check_class(networks, class_name, cast);
    else if (any_knows_class(networks, POV_PERSON_CLASS, nearest))
        snprintf(class_name, sizeof networks->people.network_class, "%s", POV_PERSON_CLASS);
}

/* Then no cascades are needed. Its points tell how a head is turned: a network of headings would be asked in vain. */
static void choose_face_finder(pov_network_settings *networks, pov_yaml_node node)
{
    pov_model_file *file = malloc(sizeof *file);
    for (int i = 0; file && !networks->people.without_faces && i < networks->len; i++) {
        const bool finds_faces = pov_model_file_read(file, networks->networks[i].detector).code == POV_OK &&
                                 file->contract.layout == POV_LAYOUT_FACE;
        networks->people.faces_by_network = networks->people.faces_by_network || finds_faces;
        if (finds_faces && *networks->networks[i].heading)
            pov_yaml_complain(node,
                              "network %d finds people's faces, whose points tell how a head is turned: its "
                              "'heading' would not be used; take it out",
                              i + 1);
    }
    free(file);
}

static void check_networks(pov_finder_settings *settings, const pov_cast *cast, pov_yaml_node node)
{
    pov_person_detector_config *people = &settings->networks.people;
    people->mask_len = settings->balls.mask_len;
    memcpy(people->masks, settings->balls.masks, sizeof people->masks);
    check_alone(cast, node);
    check_classes(&settings->networks, cast, node);
    if (settings->networks.wants_people) {
        choose_body_finder(&settings->networks, node);
        choose_face_finder(&settings->networks, node);
    }
}

typedef struct {
    pov_detector *detector, *heading; /* heading NULL: the detector's own, or none */
    pov_detector *points;             /* of people; NULL: the detector's own, or none */
} eyes;

typedef struct {
    pov_model_looks things;
    pov_person_look people;
} glance;

typedef struct {
    int len;
    eyes eyes[POV_MODEL_MAX];
    pov_person_detector *people;          /* NULL: no people in the cast */
    char person_class[POV_NAME_CAPACITY]; /* what a detector calls people; "": none knows them */
    bool in_background, faces_by_network;
    /* The rest belongs to the background thread. The lock guards it, except for the image and `next` while busy. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started, busy, stop;
    pov_status failed; /* not POV_OK: the last look failed */
    pov_image image;
    unsigned char *pixels;
    size_t capacity;
    bool has_pose;
    pov_pose T_table_camera;
    int64_t looked_ns; /* when the image of `looks` was taken */
    glance next, last;
    atomic_llong looked_for_people_ns; /* how long that took */
} network_finder;

/* ---- at work ---- */

static bool is_of_class(const pov_model_contract *contract, const pov_detection *detection,
                        const char *class_name)
{
    return strcmp(contract->classes[detection->class_index], class_name) == 0;
}

/* A heading network is asked of each thing found, one of points of each person. */
static pov_status ask_about_crops(const network_finder *l, const eyes *e, pov_detections *found,
                                  const pov_image *image)
{
    for (int i = 0; i < found->len; i++) {
        pov_detection *detection = &found->detections[i];
        if (e->heading)
            POV_TRY(pov_detector_run_crop(e->heading, detection, image));
        if (e->points && is_of_class(pov_detector_contract(e->detector), detection, l->person_class))
            POV_TRY(pov_detector_run_crop(e->points, detection, image));
    }
    return pov_ok();
}

static pov_status look_for_things(network_finder *l, pov_model_looks *looks, const pov_image *image,
                                  const pov_pose *T_table_camera)
{
    looks->len = 0;
    for (int i = 0; i < l->len; i++) {
        pov_model_look *look = &looks->looks[i];
        look->contract = pov_detector_contract(l->eyes[i].detector);
        look->age_s = 0;
        look->has_pose = T_table_camera != NULL;
        if (T_table_camera)
            look->T_table_camera = *T_table_camera;
        POV_TRY(pov_detector_run(l->eyes[i].detector, &look->found, image));
        POV_TRY(ask_about_crops(l, &l->eyes[i], &look->found, image));
    }
    looks->len = l->len;
    return pov_ok();
}

/* The detections of the first detector that knows people. False: none knows them. */
static bool find_bodies(const network_finder *l, pov_body_boxes *bodies, const pov_model_looks *looks)
{
    for (int i = 0; i < looks->len && *l->person_class; i++) {
        const pov_model_contract *contract = looks->looks[i].contract;
        for (int person = 0; person < contract->class_len; person++)
            if (strcmp(contract->classes[person], l->person_class) == 0) {
                bodies->found = &looks->looks[i].found;
                bodies->person_class = person;
                return true;
            }
    }
    return false;
}

/* The detections of the first detector of faces; of several that know people, none finds both. */
static bool find_faces(pov_body_boxes *bodies, const pov_model_looks *looks, const pov_image *image)
{
    for (int i = 0; i < looks->len; i++) {
        const pov_model_contract *contract = looks->looks[i].contract;
        if (contract->layout != POV_LAYOUT_FACE)
            continue;
        const double across = (double)pov_model_input_width(&contract->input) / image->width_px,
                     down = (double)pov_model_input_height(&contract->input) / image->height_px;
        bodies->faces = &looks->looks[i].found;
        bodies->face_class = 0;
        bodies->face_least_px = least_face_px / fmin(across, down);
        return true;
    }
    return false;
}

static pov_status look_for_people(network_finder *l, pov_person_look *people, const pov_model_looks *things,
                                  const pov_finder_view *view)
{
    pov_body_boxes bodies = {.found = NULL};
    const bool has_bodies = find_bodies(l, &bodies, things);
    const bool has_faces = l->faces_by_network && find_faces(&bodies, things, view->image);
    people->age_s = 0;
    people->has_pose = view->T_table_camera != NULL;
    if (view->T_table_camera)
        people->T_table_camera = *view->T_table_camera;
    return pov_person_detector_run(l->people, &people->people, view->image,
                                   has_bodies || has_faces ? &bodies : NULL, view->memory);
}

static pov_status look_at_image(network_finder *l, pov_model_looks *things, pov_person_look *people,
                                const pov_finder_view *view)
{
    POV_TRY(look_for_things(l, things, view->image, view->T_table_camera));
    if (!l->people)
        return pov_ok();
    const int64_t start_ns = pov_clock_monotonic_ns();
    POV_TRY(look_for_people(l, people, things, view));
    l->looked_for_people_ns = pov_clock_monotonic_ns() - start_ns;
    return pov_ok();
}

/* ---- in the background ---- */

static void *work_in_background(void *looker)
{
    network_finder *l = looker;
    pthread_mutex_lock(&l->lock);
    for (;;) {
        while (!l->busy && !l->stop)
            pthread_cond_wait(&l->changed, &l->lock);
        if (l->stop)
            break;
        pthread_mutex_unlock(&l->lock);
        const pov_status status =
            look_at_image(l, &l->next.things, &l->next.people,
                          &(pov_finder_view){.image = &l->image,
                                             .T_table_camera = l->has_pose ? &l->T_table_camera : NULL});
        pthread_mutex_lock(&l->lock);
        l->failed = status;
        l->last = l->next;
        l->looked_ns = l->image.mid_exposure_ns;
        l->busy = false;
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static pov_status copy_image(network_finder *l, const pov_image *image)
{
    const size_t row = (size_t)image->width_px * 3, size = row * (size_t)image->height_px;
    if (size > l->capacity) {
        unsigned char *pixels = realloc(l->pixels, size);
        if (!pixels)
            return pov_error("models: out of memory");
        l->pixels = pixels;
        l->capacity = size;
    }
    l->image = *image;
    l->image.pixels = l->pixels;
    l->image.grey = NULL;
    l->image.stride_bytes = (int)row;
    for (int y = 0; y < image->height_px; y++)
        memcpy(l->pixels + (size_t)y * row, image->pixels + (ptrdiff_t)y * image->stride_bytes, row);
    return pov_ok();
}

static pov_status hand_image_over(network_finder *l, const pov_image *image, const pov_pose *T_table_camera)
{
    POV_TRY(copy_image(l, image));
    l->has_pose = T_table_camera != NULL;
    if (T_table_camera)
        l->T_table_camera = *T_table_camera;
    l->busy = true;
    pthread_cond_signal(&l->changed);
    return pov_ok();
}

static pov_status look_aside(network_finder *l, pov_model_looks *things, pov_person_look *people,
                             const pov_finder_view *view)
{
    const pov_image *image = view->image;
    pthread_mutex_lock(&l->lock);
    pov_status status = l->failed;
    *things = l->last.things;
    *people = l->last.people;
    people->age_s = (double)(image->mid_exposure_ns - l->looked_ns) * 1e-9;
    for (int i = 0; i < things->len; i++)
        things->looks[i].age_s = people->age_s;
    if (status.code == POV_OK && !l->busy)
        status = hand_image_over(l, image, view->T_table_camera);
    pthread_mutex_unlock(&l->lock);
    return status;
}

static pov_status find_by_networks(void *finder, pov_findings *findings, const pov_finder_view *view)
{
    network_finder *l = finder;
    const pov_status status =
        (l->in_background ? look_aside : look_at_image)(l, &findings->looks, &findings->people, view);
    findings->people_s = (double)l->looked_for_people_ns * 1e-9;
    return status;
}

static pov_status search_for_people(void *finder, const pov_finder_view *view)
{
    network_finder *l = finder;
    return pov_person_detector_remember(l->people, view->memory, view->is_late);
}

/* ---- life ---- */

static pov_status open_network(pov_detector **detector, const char *contract, pov_engine engine)
{
    POV_TRY(pov_model_open_tried(detector, contract, engine));
    pov_model_tell_engine(*detector, contract);
    return pov_ok();
}

static pov_status open_eyes(network_finder *l, const pov_network_settings *networks)
{
    for (int i = 0; i < networks->len; i++) {
        l->len = i + 1;
        POV_TRY(open_network(&l->eyes[i].detector, networks->networks[i].detector, networks->engine));
        if (*networks->networks[i].heading)
            POV_TRY(open_network(&l->eyes[i].heading, networks->networks[i].heading, networks->engine));
        if (*networks->networks[i].points)
            POV_TRY(open_network(&l->eyes[i].points, networks->networks[i].points, networks->engine));
    }
    return pov_ok();
}

static pov_status start_thread(network_finder *l)
{
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    l->started = pthread_create(&l->thread, NULL, work_in_background, l) == 0;
    return l->started ? pov_ok() : pov_error("models: no thread could be started");
}

static bool wants_networks(const pov_finder_settings *settings)
{
    return settings->networks.len > 0 || settings->networks.wants_people;
}

static pov_status create_network_finder(void **finder, const pov_finder_place *place)
{
    const pov_network_settings *networks = &place->settings->networks;
    network_finder *l = *finder = pov_allocate(1, sizeof *l);
    l->in_background = networks->in_background;
    l->faces_by_network = networks->people.faces_by_network;
    l->failed = pov_ok();
    snprintf(l->person_class, sizeof l->person_class, "%s", networks->people.network_class);
    POV_TRY(open_eyes(l, networks));
    if (networks->wants_people)
        POV_TRY(pov_person_detector_new(&l->people, &networks->people, place->camera->width_px,
                                        place->camera->height_px));
    return l->in_background ? start_thread(l) : pov_ok();
}

/* Networks see all of an image, and the background has time for it. */
static bool follows_people(const pov_finder_place *place)
{
    const pov_network_settings *networks = &place->settings->networks;
    return networks->wants_people && !*networks->people.network_class && !networks->people.faces_by_network &&
           !networks->in_background && place->is_video;
}

static void stop_thread(network_finder *l)
{
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
}

static void destroy_network_finder(void *finder)
{
    network_finder *l = finder;
    if (l->started)
        stop_thread(l);
    for (int i = 0; i < l->len; i++) {
        pov_detector_destroy(&l->eyes[i].detector);
        pov_detector_destroy(&l->eyes[i].heading);
        pov_detector_destroy(&l->eyes[i].points);
    }
    pov_person_detector_destroy(&l->people);
    free(l->pixels);
    free(l);
}

const pov_finder pov_network_finder = {
    .turn = POV_FINDS_ONCE,
    .readers = {{&pov_found_by_model, NULL, NULL, read_modelled},
                {&pov_found_by_person, "person", NULL, read_person}},
    .section = "models",
    .read_section = read_networks,
    .check = check_networks,
    .is_wanted = wants_networks,
    .create = create_network_finder,
    .memory = &pov_people_memory,
    .remembers = follows_people,
    .run = find_by_networks,
    .remember = search_for_people,
    .destroy = destroy_network_finder,
};
