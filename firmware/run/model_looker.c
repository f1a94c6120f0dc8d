#include "firmware/run/model_looker.h"

#include "config/models/model_file.h"
#include "firmware/clock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    pov_detector *detector, *heading; /* heading NULL: the detector tells it, or nobody */
} eyes;

typedef struct {
    pov_model_looks things;
    pov_person_look people;
} glance;

struct pov_model_looker {
    int len;
    eyes eyes[POV_MODEL_MAX];
    pov_person_detector *people;          /* NULL: nobody is looked for */
    char person_class[POV_NAME_CAPACITY]; /* what a detector calls people; "": none knows them */
    bool in_background;
    /* What follows is of the background, and guarded by the lock but for what the thread works on while busy. */
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
};

/* ---- looking ---- */

/* A heading network is asked of each thing found. */
static pov_status tell_headings(const eyes *e, pov_detections *found, const pov_image *image)
{
    for (int i = 0; e->heading && i < found->len; i++) {
        pov_detection *detection = &found->detections[i];
        POV_TRY(pov_detector_run_heading(e->heading, &detection->seen, image, &detection->box));
    }
    return pov_ok();
}

static pov_status look_for_things(pov_model_looker *l, pov_model_looks *looks, const pov_image *image,
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
        POV_TRY(tell_headings(&l->eyes[i], &look->found, image));
    }
    looks->len = l->len;
    return pov_ok();
}

/* What the first detector that knows people found, and their class there; NULL: none knows them. */
static const pov_detections *find_bodies(const pov_model_looker *l, int *person, const pov_model_looks *looks)
{
    for (int i = 0; i < looks->len && *l->person_class; i++) {
        const pov_model_contract *contract = looks->looks[i].contract;
        for (*person = 0; *person < contract->class_len; ++*person)
            if (strcmp(contract->classes[*person], l->person_class) == 0)
                return &looks->looks[i].found;
    }
    return NULL;
}

static pov_status look_for_people(pov_model_looker *l, pov_person_look *people, const pov_model_looks *things,
                                  const pov_image *image, const pov_pose *T_table_camera)
{
    int person = 0;
    const pov_detections *bodies = find_bodies(l, &person, things);
    people->age_s = 0;
    people->has_pose = T_table_camera != NULL;
    if (T_table_camera)
        people->T_table_camera = *T_table_camera;
    return pov_person_detector_run(l->people, &people->people, image, bodies, person);
}

static pov_status look(pov_model_looker *l, pov_model_looks *things, pov_person_look *people,
                       const pov_image *image, const pov_pose *T_table_camera)
{
    POV_TRY(look_for_things(l, things, image, T_table_camera));
    if (!l->people)
        return pov_ok();
    const int64_t start_ns = pov_clock_monotonic_ns();
    POV_TRY(look_for_people(l, people, things, image, T_table_camera));
    l->looked_for_people_ns = pov_clock_monotonic_ns() - start_ns;
    return pov_ok();
}

/* ---- in the background ---- */

static void *work(void *looker)
{
    pov_model_looker *l = looker;
    pthread_mutex_lock(&l->lock);
    for (;;) {
        while (!l->busy && !l->stop)
            pthread_cond_wait(&l->changed, &l->lock);
        if (l->stop)
            break;
        pthread_mutex_unlock(&l->lock);
        const pov_status status =
            look(l, &l->next.things, &l->next.people, &l->image, l->has_pose ? &l->T_table_camera : NULL);
        pthread_mutex_lock(&l->lock);
        l->failed = status;
        l->last = l->next;
        l->looked_ns = l->image.mid_exposure_ns;
        l->busy = false;
    }
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

static pov_status copy_image(pov_model_looker *l, const pov_image *image)
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
    l->image.stride_bytes = (int)row;
    for (int y = 0; y < image->height_px; y++)
        memcpy(l->pixels + (size_t)y * row, image->pixels + (ptrdiff_t)y * image->stride_bytes, row);
    return pov_ok();
}

static pov_status hand_over(pov_model_looker *l, const pov_image *image, const pov_pose *T_table_camera)
{
    POV_TRY(copy_image(l, image));
    l->has_pose = T_table_camera != NULL;
    if (T_table_camera)
        l->T_table_camera = *T_table_camera;
    l->busy = true;
    pthread_cond_signal(&l->changed);
    return pov_ok();
}

static pov_status look_aside(pov_model_looker *l, pov_model_looks *things, pov_person_look *people,
                             const pov_image *image, const pov_pose *T_table_camera)
{
    pthread_mutex_lock(&l->lock);
    pov_status status = l->failed;
    *things = l->last.things;
    *people = l->last.people;
    people->age_s = (double)(image->mid_exposure_ns - l->looked_ns) * 1e-9;
    for (int i = 0; i < things->len; i++)
        things->looks[i].age_s = people->age_s;
    if (status.code == POV_OK && !l->busy)
        status = hand_over(l, image, T_table_camera);
    pthread_mutex_unlock(&l->lock);
    return status;
}

pov_status pov_model_looker_run(pov_model_looker *looker, pov_model_looks *things, pov_person_look *people,
                                const pov_image *image, const pov_pose *T_table_camera)
{
    if (looker->in_background)
        return look_aside(looker, things, people, image, T_table_camera);
    return look(looker, things, people, image, T_table_camera);
}

double pov_model_looker_people_s(pov_model_looker *looker)
{
    return (double)looker->looked_for_people_ns * 1e-9;
}

/* ---- life ---- */

static pov_status open_eyes(pov_model_looker *l, const pov_station_models *models)
{
    for (int i = 0; i < models->len; i++) {
        l->len = i + 1;
        POV_TRY(pov_model_open(&l->eyes[i].detector, models->models[i].detector));
        if (*models->models[i].heading)
            POV_TRY(pov_model_open(&l->eyes[i].heading, models->models[i].heading));
    }
    return pov_ok();
}

static pov_status start(pov_model_looker *l)
{
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->changed, NULL);
    l->started = pthread_create(&l->thread, NULL, work, l) == 0;
    return l->started ? pov_ok() : pov_error("models: no thread could be started");
}

pov_status pov_model_looker_new(pov_model_looker **looker, const pov_station *station)
{
    pov_model_looker *l = *looker = calloc(1, sizeof *l);
    if (!l)
        return pov_error("models: out of memory");
    l->in_background = station->models.in_background;
    l->failed = pov_ok();
    snprintf(l->person_class, sizeof l->person_class, "%s", station->people.network_class);
    pov_status status = open_eyes(l, &station->models);
    if (status.code == POV_OK && station->uses_people)
        status = pov_person_detector_new(&l->people, &station->people, station->camera.width_px,
                                         station->camera.height_px);
    if (status.code == POV_OK && l->in_background)
        status = start(l);
    if (status.code != POV_OK)
        pov_model_looker_destroy(looker);
    return status;
}

static void stop(pov_model_looker *l)
{
    pthread_mutex_lock(&l->lock);
    l->stop = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->lock);
    pthread_join(l->thread, NULL);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->lock);
}

void pov_model_looker_destroy(pov_model_looker **looker)
{
    pov_model_looker *l = looker ? *looker : NULL;
    if (!l)
        return;
    if (l->started)
        stop(l);
    for (int i = 0; i < l->len; i++) {
        pov_detector_destroy(&l->eyes[i].detector);
        pov_detector_destroy(&l->eyes[i].heading);
    }
    pov_person_detector_destroy(&l->people);
    free(l->pixels);
    free(l);
    *looker = NULL;
}
