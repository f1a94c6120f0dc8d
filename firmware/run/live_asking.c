#include "firmware/run/live_asking.h"

#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/comparison/answer_causes.h"
#include "firmware/comparison/asker.h"
#include "firmware/comparison/curve_places.h"
#include "firmware/comparison/image_record.h"
#include "firmware/comparison/run_config.h"
#include "firmware/picture/image_copy.h"
#include "firmware/thread_priority.h"
#include "perception/hash.h"
#include "perception/version.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT_MAX = 1024 }; /* images without a log that lie on the disk at a time; more than are asked about */

/** Which image is asked about; the judging thread's own. */
typedef struct {
    bool has_asked;
    int64_t asked_capture_ns, asked_clock_ns;
    double asked_turned_rad;
    bool has_angle;
    double angle_rad, turned_rad; /* turned: whole turns included */
    bool has_verdicts;
    uint64_t cast;                     /* hash of the entities' names and of how many judgments there are */
    uint8_t verdict[POV_DIRECTED_MAX]; /* the last that was true or false; else POV_VERDICT_UNDEFINED */
} occasion_watch;

/** An image on its way to the thread that stores it. */
typedef struct {
    bool is_full;
    pov_image_copy copy;
    pov_observation *observation;
    pov_asker_image about;
} image_slot;

/** Without a log: an image that lies on the disk. */
typedef struct {
    int64_t image;
    char file[48];
} kept_image;

struct pov_live_asking {
    const pov_station *station;
    const pov_station_comparing *how;
    pov_log_folder folder;
    bool has_folder, is_temporary;
    pov_comparison_queue *told;
    int asker_len;
    pov_asker *askers[POV_COMPARED_MODEL_MAX];
    bool was_told[POV_COMPARED_MODEL_MAX]; /* that it has ended */
    occasion_watch watch;
    _Atomic int64_t judged_ns; /* the askers read it */

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_lock, has_thread;
    /* under the lock */
    image_slot slot;
    bool stopping, finishing, is_storing, is_spent;
    int stored;
    uint64_t images_unasked;
    pov_status storing; /* POV_ERROR: it has failed, and nothing more is asked */
    bool storing_told;

    /* the thread's own */
    pov_image_record record;
    int64_t run;
    bool answers_here; /* a server on this machine, which may be a simulated one */
    int question_len;  /* of the last image */
    int next_stop;
    int kept_len;
    kept_image kept[KEPT_MAX];
};

/* ---- occasions ---- */

/* Azimuth of the first pair; where the station measures its turntable, that angle. */
static double turning_angle_rad(const pov_live_asking *a, const pov_observation *observation)
{
    if (a->station->turntable.measured)
        return observation->turntable.known ? observation->turntable.angle_rad : NAN;
    return pov_choice_phi_rad(&observation->scene, &a->how->choice);
}

static void note_angle(occasion_watch *watch, double angle_rad)
{
    if (isnan(angle_rad))
        return;
    if (watch->has_angle)
        watch->turned_rad += pov_angle_wrap(angle_rad - watch->angle_rad);
    watch->angle_rad = angle_rad;
    watch->has_angle = true;
}

static uint64_t hash_cast(const pov_observation *observation)
{
    uint64_t hash = POV_HASH_START ^ (uint64_t)observation->directed_len;
    for (pov_id id = 0; id < observation->scene.len; id++)
        hash = pov_hash_value(pov_hash_text(hash, observation->scene.entities[id].name), 0);
    return hash;
}

static bool is_asked_about(const pov_question_choice *choice, const pov_scene *scene, const pov_query *query)
{
    const char *referent = scene->entities[query->referent].name,
               *relatum = scene->entities[query->relatum[0]].name;
    for (int i = 0; i < choice->pair_len; i++)
        if (strcmp(choice->pairs[i][0], referent) == 0 && strcmp(choice->pairs[i][1], relatum) == 0)
            return true;
    return choice->pair_len == 0;
}

/* A judgment of a pair that is asked about, true before, is false now, or the other way round, in any frame of reference; what it was
 * while it abstained does not count. */
static bool has_flipped(occasion_watch *watch, const pov_observation *observation,
                        const pov_question_choice *choice)
{
    const uint64_t cast = hash_cast(observation);
    bool flipped = false;
    if (!watch->has_verdicts || watch->cast != cast)
        memset(watch->verdict, POV_VERDICT_UNDEFINED, sizeof watch->verdict);
    for (int i = 0; i < observation->directed_len; i++) {
        const pov_judgment *judgment = &observation->judgments[i];
        const pov_verdict verdict = judgment->belief.verdict;
        if ((verdict != POV_TRUE && verdict != POV_FALSE) || judgment->query.acceptance != POV_HEMISPHERE ||
            !is_asked_about(choice, &observation->scene, &judgment->query))
            continue;
        flipped |= watch->verdict[i] != POV_VERDICT_UNDEFINED && watch->verdict[i] != verdict;
        watch->verdict[i] = (uint8_t)verdict;
    }
    watch->has_verdicts = true;
    watch->cast = cast;
    return flipped;
}

/* NULL: none. A film may be judged faster than it was taken, and a folder's images have no times that tell: the one that is farther on
 * counts, the images' own time or the clock. */
static const char *find_occasion(pov_live_asking *a, const pov_image *image,
                                 const pov_observation *observation, int64_t now_ns)
{
    occasion_watch *watch = &a->watch;
    const pov_station_comparing *how = a->how;
    note_angle(watch, turning_angle_rad(a, observation));
    const bool flipped = has_flipped(watch, observation, &how->choice);
    const int64_t clock_ns = now_ns - watch->asked_clock_ns,
                  capture_ns = image->mid_exposure_ns - watch->asked_capture_ns;
    const double elapsed_s = 1e-9 * (double)(capture_ns > clock_ns ? capture_ns : clock_ns);
    const char *occasion =
        !watch->has_asked           ? "first"
        : how->on_change && flipped ? "changed"
        : how->turned_rad > 0 && fabs(watch->turned_rad - watch->asked_turned_rad) >= how->turned_rad
            ? "turned"
        : how->every_s > 0 && elapsed_s >= how->every_s ? "time"
                                                        : NULL;
    if (!occasion)
        return NULL;
    watch->has_asked = true;
    watch->asked_capture_ns = image->mid_exposure_ns;
    watch->asked_clock_ns = now_ns;
    watch->asked_turned_rad = watch->turned_rad;
    return occasion;
}

/* ---- handing over ---- */

#define COPY_LIST(to, from, list, len)                                                                       \
    memcpy((to)->list, (from)->list, (size_t)((to)->len = (from)->len) * sizeof *(from)->list)

/* Only what is there: the room for judgments is some megabytes. */
static void copy_observation(pov_observation *to, const pov_observation *from)
{
    to->image = from->image;
    to->lens = from->lens;
    to->turntable = from->turntable;
    to->scene = from->scene;
    COPY_LIST(to, from, tags, tag_len);
    COPY_LIST(to, from, judgments, judgment_len);
    COPY_LIST(to, from, sights, sight_len);
    COPY_LIST(to, from, directions, direction_len);
    COPY_LIST(to, from, views, view_len);
    to->directed_len = from->directed_len;
    to->tags_truncated = from->tags_truncated;
    to->directed_truncated = from->directed_truncated;
    to->others_truncated = from->others_truncated;
    to->sights_truncated = from->sights_truncated;
    to->directions_truncated = from->directions_truncated;
    to->views_truncated = from->views_truncated;
}

void pov_live_asking_look(pov_live_asking *a, const pov_image *image, const pov_observation *observation)
{
    atomic_store(&a->judged_ns, pov_clock_monotonic_ns());
    if (image->camera != a->station->camera_index)
        return;
    const char *occasion = find_occasion(a, image, observation, pov_clock_monotonic_ns());
    const double turned_rad = a->watch.has_angle ? a->watch.turned_rad : NAN;
    pov_comparison_queue_note_scene(a->told, image->mid_exposure_ns, turned_rad);
    if (!occasion)
        return;
    pthread_mutex_lock(&a->lock);
    const bool ended = a->is_spent || a->storing.code != POV_OK;
    const bool is_free = !a->slot.is_full && !a->is_storing && !ended;
    a->images_unasked += !is_free && !ended;
    pthread_mutex_unlock(&a->lock);
    if (!is_free)
        return;
    pov_image_copy_take(&a->slot.copy, image); /* nobody else touches a slot that is not full */
    copy_observation(a->slot.observation, observation);
    a->slot.about = (pov_asker_image){
        .sequence = observation->image.sequence,
        .angle_rad = pov_angle_wrap(pov_choice_phi_rad(&observation->scene, &a->how->choice)),
        .turned_rad = turned_rad};
    snprintf(a->slot.about.occasion, sizeof a->slot.about.occasion, "%s", occasion);
    pthread_mutex_lock(&a->lock);
    a->slot.is_full = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

/* ---- the thread that stores ---- */

static bool has_room(pov_live_asking *a, int question_len)
{
    for (int i = 0; i < a->asker_len; i++)
        if (pov_asker_has_room(a->askers[i], question_len))
            return true;
    return false;
}

static void remove_image(const pov_log_folder *folder, const char *name)
{
    char path[POV_LOG_PATH_CAPACITY + 80];
    pov_question_pictures_remove(folder->path, name);
    snprintf(path, sizeof path, "%s/images/%s.png", folder->path, name);
    (void)unlink(path);
}

/* Without a log nothing stays of an image whose questions have all been dealt with. */
static pov_status forget_images(pov_live_asking *a)
{
    for (int i = 0; a->is_temporary && i < a->kept_len;) {
        bool is_needed = false;
        for (int k = 0; k < a->asker_len; k++)
            is_needed |= pov_asker_needs(a->askers[k], a->kept[i].image);
        if (is_needed) {
            i++;
            continue;
        }
        POV_TRY(pov_answer_log_forget_image(a->record.log, a->kept[i].image));
        remove_image(&a->folder, a->kept[i].file);
        a->kept[i] = a->kept[--a->kept_len];
    }
    return pov_ok();
}

static void offer_image(pov_live_asking *a, pov_asker_image *about)
{
    for (int i = 0; i < a->asker_len; i++)
        if (pov_asker_has_room(a->askers[i], about->question_len))
            pov_asker_offer(a->askers[i], about);
        else
            pov_asker_refuse(a->askers[i], about->question_len);
}

static pov_status store_image(pov_live_asking *a)
{
    const pov_observation *observation = a->slot.observation;
    const double phi_deg = pov_choice_phi_rad(&observation->scene, &a->how->choice) / POV_DEG;
    const pov_recorded_shot shot = {
        .image = &a->slot.copy.image, .observation = observation, .judged_as_truth = a->answers_here};
    pov_log_image entry = {.run = a->run,
                           .stop = a->next_stop++,
                           .turn_deg = NAN,
                           .phi_deg = phi_deg,
                           .curve_deg = pov_curve_places_find(&(pov_curve_places){0}, NAN, phi_deg),
                           .name = a->slot.copy.image.name,
                           .capture_ns = a->slot.copy.image.mid_exposure_ns};
    kept_image kept;
    pov_image_asked asked;
    snprintf(kept.file, sizeof kept.file, "live_%lld_%08d", (long long)a->run, entry.stop);
    POV_TRY(forget_images(a));
    POV_TRY(pov_image_record_add(&a->record, &entry, &asked, &shot, kept.file));
    a->question_len = asked.len;
    a->slot.about.image = kept.image = entry.id;
    a->slot.about.question_len = a->question_len;
    if (a->is_temporary && a->kept_len < KEPT_MAX)
        a->kept[a->kept_len++] = kept;
    offer_image(a, &a->slot.about);
    return pov_ok();
}

/* Whether images_max is reached. */
static bool count_stored(pov_live_asking *a, bool stored)
{
    a->stored += stored;
    a->is_spent = a->how->image_max > 0 && a->stored >= a->how->image_max;
    return a->is_spent;
}

static void refuse_image(pov_live_asking *a)
{
    for (int i = 0; i < a->asker_len; i++)
        pov_asker_refuse(a->askers[i], a->question_len);
}

static void *store_images(void *argument)
{
    pov_live_asking *a = argument;
    pov_thread_works_behind();
    pthread_mutex_lock(&a->lock);
    while (!a->stopping && !(a->finishing && !a->slot.is_full)) {
        if (!a->slot.is_full) {
            pthread_cond_wait(&a->changed, &a->lock);
            continue;
        }
        a->is_storing = true;
        pthread_mutex_unlock(&a->lock);
        const bool is_wanted = has_room(a, a->question_len);
        pov_status status = pov_ok();
        if (is_wanted)
            status = store_image(a);
        else
            refuse_image(a);
        pthread_mutex_lock(&a->lock);
        a->slot.is_full = a->is_storing = false;
        a->storing = status;
        if (status.code != POV_OK || count_stored(a, is_wanted))
            break;
    }
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->asker_len; i++)
        pov_asker_finish(a->askers[i]);
    return NULL;
}

/* ---- setting up ---- */

static pov_status open_folder(pov_live_asking *a)
{
    char path[POV_LOG_PATH_CAPACITY];
    const char *at = a->how->log, *temporary = getenv("TMPDIR");
    if (!*at) {
        a->is_temporary = true;
        snprintf(path, sizeof path, "%s/pov-live-XXXXXX", temporary && *temporary ? temporary : "/tmp");
        if (!mkdtemp(path))
            return pov_error("%s: cannot be made: %s; name a folder for the log by --log DIR", path,
                             strerror(errno));
        at = path;
    }
    POV_TRY(pov_log_folder_open(&a->folder, at, "pov run", true));
    a->has_folder = true;
    return pov_ok();
}

/* A sweep's log takes no live images: its report would mix the two. */
static pov_status check_run_before(const pov_live_asking *a)
{
    pov_log_run last;
    const pov_status status = pov_answer_log_last_run(a->record.log, &last);
    if (status.code == POV_UNDEFINED)
        return pov_ok();
    if (status.code == POV_OK && !strstr(last.config, "\"live_since_ns\""))
        return pov_error("%s: holds a sweep; name another folder for what is asked live", a->folder.path);
    return status;
}

static pov_status begin_run(pov_live_asking *a, const pov_live_asking_config *config)
{
    const int64_t now_ns = pov_clock_unix_ns();
    const pov_run_config described = {.station_path = config->station_path,
                                      .station = a->station,
                                      .choice = &a->how->choice,
                                      .live_since_ns = now_ns};
    char *json;
    POV_TRY(check_run_before(a));
    POV_TRY(pov_run_config_write(&json, &described));
    pov_log_run run = {.started_ns = now_ns,
                       .version = POV_VERSION,
                       .config = json,
                       .seed = a->how->choice.seed,
                       .simulated = pov_station_is_simulated(a->station)};
    const pov_status status = pov_answer_log_add_run(a->record.log, &run);
    a->run = run.id;
    free(json);
    return status;
}

static bool has_prices(const pov_vlm_client_config *client)
{
    bool all = true;
    for (int i = 0; i < client->endpoint_len; i++)
        all = all && client->endpoints[i].price_prompt + client->endpoints[i].price_answer > 0;
    return all;
}

/* The limit is shared out evenly: no model can spend what another was to have. */
static pov_status open_asker(pov_live_asking *a, const pov_live_asking_config *config, int i)
{
    pov_vlm_config *vlm = pov_allocate(1, sizeof *vlm);
    *vlm = config->models[i];
    const pov_station_comparing *how = a->how;
    const double share = how->cost_max / config->model_len;
    const bool priced = has_prices(&vlm->client);
    if (priced && share < vlm->client.cost_max)
        vlm->client.cost_max = share;
    for (int k = 0; k < vlm->client.endpoint_len; k++)
        a->answers_here |= pov_vlm_url_is_own(vlm->client.endpoints[k].url);
    const pov_asker_live live = {.in_flight_max = how->in_flight_max,
                                 .waiting_max = how->waiting_max,
                                 .stale_after_ns = (int64_t)(how->stale_after_s * 1e9),
                                 .cost_max = share,
                                 .cost_per_image = how->cost_per_image,
                                 .judged_ns = &a->judged_ns};
    const pov_asker_config asker = {.log_path = a->folder.log_path,
                                    .folder = a->folder.path,
                                    .vlm = vlm,
                                    .recorder = config->recorder,
                                    .told = a->told,
                                    .live = &live};
    pov_status status =
        !isinf(how->cost_max) && !priced && how->cost_per_image <= 0
            ? pov_error("compare.usd_max needs prices: give usd_per_image, or price_prompt and price_answer "
                        "of each server in its section vlm (docs/LIVE.md)")
            : pov_asker_new(&a->askers[i], &asker);
    a->asker_len += status.code == POV_OK;
    const pov_vlm_endpoint *first = &vlm->client.endpoints[0];
    for (int k = 0; status.code == POV_OK && k < i; k++)
        if (pov_asker_model(a->askers[k]) == pov_asker_model(a->askers[i]))
            status = pov_error(
                "'%.100s' is asked twice with the same settings, and the answers would be mixed: name it "
                "once, as one section vlm with several endpoints, or give it another model's name",
                *first->model ? first->model : first->url);
    free(vlm);
    return status;
}

static pov_status set_up(pov_live_asking *a, const pov_live_asking_config *config)
{
    a->question_len = 1;
    a->slot.observation = pov_allocate(1, sizeof *a->slot.observation);
    POV_TRY(open_folder(a));
    POV_TRY(pov_image_record_begin(&a->record, &a->folder, &a->how->choice, &a->station->judge.judging));
    a->record.camera = &a->station->camera;
    POV_TRY(begin_run(a, config));
    POV_TRY(pov_comparison_queue_new(&a->told));
    for (int i = 0; i < config->model_len; i++)
        POV_TRY(open_asker(a, config, i));
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    a->has_lock = true;
    const int code = pthread_create(&a->thread, NULL, store_images, a);
    a->has_thread = code == 0;
    return code == 0 ? pov_ok() : pov_error("cannot start a thread for asking: %s", strerror(code));
}

pov_status pov_live_asking_new(pov_live_asking **asking, const pov_live_asking_config *config)
{
    pov_live_asking *a = *asking = pov_allocate(1, sizeof *a);
    a->station = config->station;
    a->how = &config->station->compare;
    const pov_status status = set_up(a, config);
    if (status.code != POV_OK)
        pov_live_asking_destroy(asking);
    return status;
}

/* What mkdtemp made, with all that was put into it. */
static void remove_folder(const char *path)
{
    static const char *const parts[] = {"/images", ""};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char part[POV_LOG_PATH_CAPACITY + 16], file[POV_LOG_PATH_CAPACITY + 300];
        snprintf(part, sizeof part, "%s%s", path, parts[i]);
        DIR *folder = opendir(part);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            snprintf(file, sizeof file, "%s/%s", part, entry->d_name);
            (void)unlink(file); /* of what is none, it fails */
        }
        if (folder)
            closedir(folder);
        (void)rmdir(part);
    }
}

void pov_live_asking_destroy(pov_live_asking **asking)
{
    pov_live_asking *a = *asking;
    if (!a)
        return;
    if (a->told)
        pov_comparison_queue_stop(a->told);
    if (a->has_thread) {
        pthread_mutex_lock(&a->lock);
        a->stopping = true;
        pthread_cond_broadcast(&a->changed);
        pthread_mutex_unlock(&a->lock);
        pthread_join(a->thread, NULL);
    }
    for (int i = 0; i < a->asker_len; i++)
        pov_asker_destroy(&a->askers[i]);
    if (a->has_lock) {
        pthread_cond_destroy(&a->changed);
        pthread_mutex_destroy(&a->lock);
    }
    pov_comparison_queue_destroy(&a->told);
    pov_image_record_end(&a->record);
    if (a->has_folder)
        pov_log_folder_close(&a->folder);
    if (a->has_folder && a->is_temporary)
        remove_folder(a->folder.path);
    pov_image_copy_free(&a->slot.copy);
    free(a->slot.observation);
    free(a);
    *asking = NULL;
}

/* ---- what is told ---- */

static bool images_leave(const pov_live_asking *a)
{
    bool leave = false;
    for (int i = 0; i < a->asker_len; i++) {
        pov_asked_model model;
        pov_asker_tell(a->askers[i], &model);
        leave |= model.leaves;
    }
    return leave;
}

void pov_live_asking_print(const pov_live_asking *a, bool quiet)
{
    const pov_station_comparing *how = a->how;
    if (quiet && !images_leave(a))
        return;
    fputs("asks about an image", stderr);
    if (a->station->camera_len > 1)
        fprintf(stderr, " of camera %s", a->station->cameras[a->station->camera_index].id);
    if (how->on_change)
        fputs(" when a judgment changes", stderr);
    if (how->turned_rad > 0)
        fprintf(stderr, "%s after each %g deg of turning", how->on_change ? "," : "",
                how->turned_rad / POV_DEG);
    if (how->every_s > 0)
        fprintf(stderr, "%s every %g s", how->on_change || how->turned_rad > 0 ? "," : "", how->every_s);
    fputs(":\n", stderr);
    for (int i = 0; i < a->asker_len; i++) {
        pov_asked_model model;
        pov_asker_tell(a->askers[i], &model);
        fprintf(stderr, "  the model %s at %s: %s\n", model.model, model.hosts,
                model.leaves ? "IMAGES LEAVE THIS MACHINE, to there" : "on this machine");
    }
    if (!a->is_temporary)
        fprintf(stderr, "  the log is %s\n", a->folder.log_path);
}

bool pov_live_asking_take(pov_live_asking *a, uint8_t **bytes, size_t *len)
{
    return pov_comparison_queue_take(a->told, bytes, len);
}

pov_heard_words *pov_live_asking_words(pov_live_asking *a)
{
    return pov_comparison_queue_words(a->told);
}

bool pov_live_asking_news(pov_live_asking *a, char text[POV_MESSAGE_CAPACITY])
{
    pthread_mutex_lock(&a->lock);
    const bool is_new = !a->storing_told && (a->storing.code != POV_OK || a->is_spent);
    a->storing_told |= is_new;
    if (is_new && a->storing.code != POV_OK)
        snprintf(text, POV_MESSAGE_CAPACITY, "asking has ended: %.340s; judging goes on", a->storing.message);
    else if (is_new)
        snprintf(text, POV_MESSAGE_CAPACITY,
                 "asking ends: %d images were asked about, as many as compare.images_max; judging goes on",
                 a->stored);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->asker_len && !is_new; i++) {
        pov_asked_model model;
        const pov_status status = pov_asker_wait(a->askers[i], 0);
        if (a->was_told[i] || (status.code != POV_END && status.code != POV_ERROR))
            continue;
        a->was_told[i] = true;
        pov_asker_tell(a->askers[i], &model);
        snprintf(text, POV_MESSAGE_CAPACITY,
                 "nothing more is asked of the model %.90s: %.230s; judging goes on", model.model,
                 status.message);
        return true;
    }
    return is_new;
}

void pov_live_asking_tell(pov_live_asking *a, pov_health *health)
{
    health->model_len = a->asker_len;
    for (int i = 0; i < a->asker_len; i++)
        pov_asker_tell(a->askers[i], &health->models[i]);
    pov_comparison_queue_agreements(a->told, health);
    pthread_mutex_lock(&a->lock);
    health->images_unasked = a->images_unasked;
    for (int i = 0; a->is_spent && i < a->asker_len; i++)
        if (!*health->models[i].ended)
            snprintf(health->models[i].ended, sizeof health->models[i].ended, "images_max is reached");
    pthread_mutex_unlock(&a->lock);
}

void pov_live_asking_finish(pov_live_asking *a)
{
    pthread_mutex_lock(&a->lock);
    a->finishing = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

bool pov_live_asking_is_busy(pov_live_asking *a)
{
    bool busy = false;
    for (int i = 0; i < a->asker_len; i++)
        busy |= pov_asker_wait(a->askers[i], 0).code == POV_TIMEOUT;
    return busy;
}

static void warn_of_causes(const pov_live_asking *a, const pov_asker *asker)
{
    pov_answer_log *log;
    pov_status status = pov_answer_log_new(&log, a->folder.log_path, POV_LOG_MUST_EXIST);
    if (status.code == POV_OK)
        status = pov_answer_causes_warn(log, pov_asker_model(asker));
    if (status.code != POV_OK)
        pov_cli_warn("%s", status.message);
    pov_answer_log_destroy(&log);
}

pov_status pov_live_asking_outcome(pov_live_asking *a)
{
    for (int i = 0; i < a->asker_len; i++) {
        pov_asked_model m;
        pov_asker_tell(a->askers[i], &m);
        if (m.asked > 0 && m.answered + m.unscored == 0 && (m.failed > 0 || *m.ended))
            return pov_error("the model %.90s at %.120s has answered nothing; the images were judged",
                             m.model, m.hosts);
    }
    return pov_ok();
}

/* Of a model: "; 3 not asked, as ..."; "": nothing was lost. */
static void describe_lost(pov_text *text, const pov_asked_model *m)
{
    if (m->under_way)
        pov_text_add(text, "; %u broken off", m->under_way);
    if (m->unasked + m->waiting)
        pov_text_add(text, "; %llu not asked, as %stoo many waited",
                     (unsigned long long)(m->unasked + m->waiting), *m->ended ? "asking had ended, or " : "");
    if (m->stale)
        pov_text_add(text, "; %llu not asked, as they had waited for too long", (unsigned long long)m->stale);
}

static void print_model(const pov_asked_model *m, bool quiet)
{
    pov_text text = {0}, lost = {0};
    pov_text_set(&text, "the model %s: %llu questions asked, %llu answered", m->model,
                 (unsigned long long)m->asked, (unsigned long long)m->answered);
    if (m->unscored)
        pov_text_add(&text, ", %llu unscored", (unsigned long long)m->unscored);
    if (m->failed)
        pov_text_add(&text, ", %llu failed", (unsigned long long)m->failed);
    describe_lost(&lost, m);
    if (!quiet)
        fprintf(stderr, "%s%s\n", pov_text_of(&text), pov_text_of(&lost));
    else if (lost.len > 0 || m->failed)
        pov_cli_warn("%s%s", pov_text_of(&text), pov_text_of(&lost));
    pov_text_free(&text);
    pov_text_free(&lost);
}

void pov_live_asking_print_summary(pov_live_asking *a, bool quiet)
{
    uint64_t pending = 0;
    for (int i = 0; i < a->asker_len; i++) {
        pov_asked_model m;
        pov_asker_tell(a->askers[i], &m);
        print_model(&m, quiet);
        if (m.failed)
            warn_of_causes(a, a->askers[i]);
        pending += m.under_way + m.waiting + m.stale;
    }
    if (!a->is_temporary && !quiet)
        fprintf(stderr, "'pov report %s' makes a page of it%s\n", a->folder.path,
                pending ? ", 'pov compare' asks what is pending" : "");
}
