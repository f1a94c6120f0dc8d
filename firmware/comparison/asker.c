#include "firmware/comparison/asker.h"

#include "compare/log/log_pictures.h"
#include "compare/questions/prompting.h"
#include "compare/vlm/answer_form.h"
#include "compare/vlm/vlm_client.h"
#include "compare/vlm/vlm_outlook.h"
#include "compare/vlm/vlm_result.h"
#include "config/files/json_value.h"
#include "config/files/read_file.h"
#include "config/files/text.h"
#include "config/files/utf8.h"
#include "firmware/clock.h"
#include "firmware/command.h"
#include "firmware/comparison/log_folder.h"
#include "firmware/thread_priority.h"
#include "firmware/vlm/vlm_picture.h"

#include <cJSON.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_MAX_LENGTH = 2048,
    WAIT_MS = 50,
    GAP_LOOK_MS = 4,     /* chosen: half of the gap */
    GAP_NS = 8000000,    /* after an image was judged; chosen: half of the time between images at 60/s */
    FLOW_NS = 200000000, /* images that come more seldom leave time enough; chosen */
    SETTINGS_CAPACITY = 8192,
    PROMPT_CAPACITY = 400,
    OFFERED_MAX = 256 /* images; more than wait or are under way */
};

/** A question that is being asked. */
typedef struct {
    int64_t id, image;            /* id 0: free */
    char prompt[PROMPT_CAPACITY]; /* shortened if it is longer */
    double gold_p;                /* the station's P(yes); NaN: it abstains */
    pov_answer_form form;
    pov_comparison_asked message;
    int64_t first_token_ns; /* of the attempt under way, if it streams */
    bool wants_guidance;    /* sg-cot: the request under way is the first of two */
    char *guidance;         /* what it brought; owned; NULL: none */
} asked_question;

/** An image of a live run. */
typedef struct {
    pov_asker_image about;
    int64_t offered_ns;
    int waiting, under_way; /* questions */
} offered_image;

struct pov_asker {
    pov_vlm_config vlm;
    pov_recorder *recorder;
    char folder[PATH_MAX_LENGTH];
    pov_answer_log *log;
    pov_vlm_client *client;
    pov_languages *languages;
    int64_t model;
    pov_comparison_teller *teller; /* NULL: nobody wants to know */
    bool is_live;
    pov_asker_live live;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool has_lock, has_thread;
    bool finishing, stopping, ended; /* under the lock */
    pov_status outcome;              /* valid if ended */
    int offered_len;                 /* images whose questions wait or are under way */
    offered_image offered[OFFERED_MAX];
    pov_asked_model counts;

    /* the thread's own */
    pov_log_place cursor; /* of the last question taken from the log */
    bool all_taken;       /* nothing was pending behind the cursor, last time */
    int place_len;
    asked_question *under_way;        /* place_len of them */
    int guided_len;                   /* whose guidance is there: they are asked next */
    asked_question *guided;           /* place_len of them */
    char image_path[PATH_MAX_LENGTH]; /* of the image in memory */
    pov_bytes image;
    pov_vlm_picture *picture, *other_picture; /* of the image in memory, of further ones */
    pov_vlm_sent sent;                        /* of the image in memory */
    pov_bytes more[POV_VLM_MORE_IMAGES];      /* of a question about several, as they are sent */
    pov_vlm_image more_sent[POV_VLM_MORE_IMAGES];
    int more_len;
    bool is_about_several; /* not only an image, and a scaffold with it */
    pov_vlm_result result;
    char adaptations[POV_MESSAGE_CAPACITY]; /* to the servers, as the log has them */
    int failed_len; /* questions that failed since the last answer, the last of them in a ring */
    int64_t failed[POV_VLM_ALIKE_MAX];
};

/* ---- the model ---- */

static pov_status check_models(const pov_vlm_config *vlm)
{
    const pov_vlm_client_config *client = &vlm->client;
    if (client->endpoint_len == 0)
        return pov_error("no VLM server is named: give --vlm, or a section 'vlm' in the station file");
    for (int i = 1; i < client->endpoint_len; i++)
        if (strcmp(client->endpoints[i].model, client->endpoints[0].model) != 0 ||
            strcmp(client->endpoints[i].extra, client->endpoints[0].extra) != 0)
            return pov_error("endpoints 1 and %d serve different models (%s, %s): ask one model at a time, "
                             "each with a file of its own, and 'pov compare' puts them side by side",
                             i + 1, client->endpoints[0].model, client->endpoints[i].model);
    for (int i = 1; i < client->endpoint_len; i++)
        if (memcmp(&vlm->images[i], &vlm->images[0], sizeof vlm->images[0]) != 0)
            return pov_error(
                "endpoints 1 and %d get different images (image:): give each a file of its own, and "
                "'pov compare' puts their answers side by side",
                i + 1);
    return pov_ok();
}

/* What is as it always was is not written: logs know a model by its settings. */
static void add_setting(char settings[SETTINGS_CAPACITY], const char *name, const char *value)
{
    const size_t len = strlen(settings);
    if (*value)
        snprintf(settings + len, SETTINGS_CAPACITY - len, "\n%s: %s", name, value);
}

/* The settings that may change a model's answers: not its address, not its price. */
static void describe_settings(char settings[SETTINGS_CAPACITY], const pov_vlm_config *vlm)
{
    char image[POV_VLM_NAME_CAPACITY];
    static const char *const logprobs[] = {"auto", "on", "off"};
    snprintf(settings, SETTINGS_CAPACITY,
             "logprobs: %s\nmass_min: %g\nanswer_tokens_max: %d\nsystem: %s\nextra: %s",
             logprobs[vlm->logprobs], vlm->mass_min, vlm->answer_tokens_max, vlm->system,
             vlm->client.endpoints[0].extra);
    if (vlm->client.endpoints[0].api != POV_VLM_API_CHAT)
        add_setting(settings, "api", pov_vlm_api_name(vlm->client.endpoints[0].api));
    add_setting(settings, "system_name", vlm->system_name);
    pov_vlm_image_describe(image, &vlm->images[0]);
    add_setting(settings, "image", image);
}

static pov_status find_model(pov_asker *a)
{
    char settings[SETTINGS_CAPACITY];
    describe_settings(settings, &a->vlm);
    const pov_vlm_endpoint *endpoint = &a->vlm.client.endpoints[0];
    return pov_answer_log_model(a->log, &a->model, *endpoint->model ? endpoint->model : endpoint->url,
                                settings);
}

static pov_status open_teller(pov_asker *a, pov_comparison_queue *told)
{
    const pov_vlm_endpoint *endpoint = &a->vlm.client.endpoints[0];
    pov_log_run run;
    POV_TRY(pov_answer_log_last_run(a->log, &run));
    return pov_comparison_teller_new(&a->teller, told, &run,
                                     *endpoint->model ? endpoint->model : endpoint->url);
}

/* Where images go, without what the URLs say beside it. */
static void describe_servers(pov_asked_model *model, const pov_vlm_client_config *client)
{
    const pov_vlm_endpoint *first = &client->endpoints[0];
    pov_utf8_shorten(model->model, sizeof model->model, *first->model ? first->model : first->url);
    for (int i = 0; i < client->endpoint_len; i++) {
        const char *url = client->endpoints[i].url, *slashes = strstr(url, "//");
        const char *host = slashes ? slashes + 2 : url;
        char name[POV_MODEL_TEXT_CAPACITY], all[2 * POV_MODEL_TEXT_CAPACITY + 4];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(host, "/?#"), host);
        model->leaves |= !pov_vlm_url_is_own(url);
        if (strstr(model->hosts, name))
            continue;
        snprintf(all, sizeof all, "%s%s%s", model->hosts, *model->hosts ? ", " : "", name);
        pov_utf8_shorten(model->hosts, sizeof model->hosts, all);
    }
}

/* ---- asking ---- */

/* ---- the images of a live run ---- */

/* Under the lock, as the next three. */
static offered_image *find_offered(pov_asker *a, int64_t image)
{
    for (int i = 0; i < a->offered_len; i++)
        if (a->offered[i].about.image == image)
            return &a->offered[i];
    return NULL;
}

static void forget_if_done(pov_asker *a, offered_image *image)
{
    if (image->waiting > 0 || image->under_way > 0)
        return;
    const int i = (int)(image - a->offered);
    a->offered_len--;
    memmove(image, image + 1, (size_t)(a->offered_len - i) * sizeof *image);
}

static void drop_waiting(pov_asker *a, offered_image *image, uint64_t *counter)
{
    *counter += (uint64_t)image->waiting;
    a->counts.waiting -= (uint32_t)image->waiting;
    image->waiting = 0;
    forget_if_done(a, image);
}

static void drop_all_waiting(pov_asker *a)
{
    for (int i = a->offered_len - 1; i >= 0; i--)
        drop_waiting(a, &a->offered[i], &a->counts.unasked);
}

/* The image whose questions are asked next; those that waited for too long go. False: there is none. */
static bool next_offered(pov_asker *a, pov_asker_image *about)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    bool found = false;
    pthread_mutex_lock(&a->lock);
    for (int i = a->offered_len - 1; i >= 0; i--)
        if (a->offered[i].waiting > 0 && now_ns - a->offered[i].offered_ns > a->live.stale_after_ns)
            drop_waiting(a, &a->offered[i], &a->counts.stale);
    for (int i = 0; i < a->offered_len && !found; i++) {
        found = a->offered[i].waiting > 0;
        *about = a->offered[i].about;
    }
    pthread_mutex_unlock(&a->lock);
    return found;
}

static void note_asked(pov_asker *a, int64_t image)
{
    pthread_mutex_lock(&a->lock);
    offered_image *at = find_offered(a, image);
    a->counts.asked++;
    a->counts.under_way++;
    if (at && at->waiting > 0) {
        at->waiting--;
        at->under_way++;
        a->counts.waiting--;
    }
    pthread_mutex_unlock(&a->lock);
}

/* result NULL: broken off. */
static void note_result(pov_asker *a, int64_t image, const pov_log_result *result)
{
    pthread_mutex_lock(&a->lock);
    offered_image *at = find_offered(a, image);
    a->counts.under_way--;
    if (result) {
        const bool answered = strcmp(result->outcome, pov_vlm_outcome_name(POV_VLM_ANSWERED)) == 0;
        const bool scored = strcmp(result->kind, "tokens") == 0 || strcmp(result->kind, "text") == 0;
        *(!answered ? &a->counts.failed : scored ? &a->counts.answered : &a->counts.unscored) += 1;
        a->counts.cost += result->cost + a->live.cost_per_image;
    }
    if (at) {
        at->under_way--;
        forget_if_done(a, at);
    }
    pthread_mutex_unlock(&a->lock);
}

/* The log has no more questions about it: two had the same key. */
static void note_exhausted(pov_asker *a, int64_t image)
{
    uint64_t none = 0;
    pthread_mutex_lock(&a->lock);
    offered_image *at = find_offered(a, image);
    if (at)
        drop_waiting(a, at, &none);
    pthread_mutex_unlock(&a->lock);
}

/* POV_END: another question might cost too much. */
static pov_status check_cost(pov_asker *a)
{
    pthread_mutex_lock(&a->lock);
    const double reserved = a->counts.cost + (a->counts.under_way + 1) * a->live.cost_per_image;
    pthread_mutex_unlock(&a->lock);
    return reserved <= a->live.cost_max
               ? pov_ok()
               : pov_status_with(POV_END, "its budget of %g is spent", a->live.cost_max);
}

/* ---- what is asked next ---- */

/* POV_END: nothing now. about: of a live run. */
static pov_status next_question(pov_asker *a, pov_log_question *question, pov_log_image_file *image,
                                pov_asker_image *about)
{
    if (!a->is_live)
        return pov_answer_log_pending(a->log, question, image, a->model, a->cursor);
    while (next_offered(a, about)) {
        if (a->cursor.image != about->image)
            a->cursor = (pov_log_place){about->image, 0};
        const pov_status status = pov_answer_log_pending(a->log, question, image, a->model, a->cursor);
        if (status.code == POV_ERROR || (status.code == POV_OK && question->image == about->image))
            return status;
        note_exhausted(a, about->image);
    }
    return pov_status_of(POV_END);
}

/* Frees its place. */
static void free_asked(pov_asker *a, asked_question *asked)
{
    if (a->teller)
        pov_comparison_teller_fall_silent(a->teller, asked->id);
    free(asked->message.bytes);
    free(asked->guidance);
    *asked = (asked_question){.id = 0};
}

static int free_place(const pov_asker *a)
{
    for (int i = 0; i < a->place_len; i++)
        if (a->under_way[i].id == 0)
            return i;
    return -1;
}

/* False: the question's words are all that it is about, as in FoREST's splits. */
static bool needs_image(const pov_log_question *question)
{
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    const bool is_text = cJSON_IsFalse(cJSON_GetObjectItem(columns, "needs_image"));
    cJSON_Delete(columns);
    return !is_text;
}

/* Questions about one image come one after the other: one image in memory is enough. */
static pov_status load_named(pov_asker *a, const pov_log_image_file *file)
{
    if (strcmp(a->image_path, file->path) == 0)
        return pov_ok();
    pov_bytes_free(&a->image);
    a->image_path[0] = '\0';
    a->sent = (pov_vlm_sent){.width_px = 0};
    if (*file->path == '\0')
        return pov_ok();
    POV_TRY(pov_log_folder_load(&a->image, a->folder, file->path, file->sha256));
    POV_TRY(pov_vlm_picture_make(a->picture, &a->sent, a->image.data, a->image.length));
    snprintf(a->image_path, sizeof a->image_path, "%s", file->path);
    return pov_ok();
}

static void drop_more(pov_asker *a)
{
    for (int i = 0; i < a->more_len; i++)
        pov_bytes_free(&a->more[i]);
    a->more_len = 0;
}

/* One image of a question about several: the first takes the place of the row's own. */
static pov_status add_one_of_several(pov_asker *a, const char *path, const char *sha256, bool first)
{
    pov_log_image_file file = {.path = path, .sha256 = sha256};
    pov_vlm_sent sent;
    pov_bytes bytes = {0};
    if (first)
        return load_named(a, &file);
    POV_TRY(pov_log_folder_load(&bytes, a->folder, path, sha256));
    const pov_status status = pov_vlm_picture_make(a->other_picture, &sent, bytes.data, bytes.length);
    if (status.code == POV_OK) {
        uint8_t *copy = pov_allocate(sent.image.len, 1);
        memcpy(copy, sent.image.bytes, sent.image.len);
        a->more[a->more_len] = (pov_bytes){.data = copy, .length = sent.image.len};
        a->more_sent[a->more_len] = sent.image;
        a->more_sent[a->more_len++].bytes = copy;
    }
    pov_bytes_free(&bytes);
    return status;
}

/* Those of a question about several images, in order: columns `image_files` and `image_sha256`, with "|" between. */
static pov_status load_several(pov_asker *a, bool *several, const pov_log_question *question)
{
    cJSON *columns = question->columns ? pov_json_parse_text(question->columns) : NULL;
    const char *paths = pov_json_text_of(columns, "image_files"),
               *sums = pov_json_text_of(columns, "image_sha256");
    pov_status status = pov_ok();
    *several = *paths != '\0';
    drop_more(a);
    for (int i = 0; *paths && status.code == POV_OK; i++) {
        const size_t path_length = strcspn(paths, "|"), sum_length = strcspn(sums, "|");
        char *path = pov_text_new("%.*s", (int)path_length, paths),
             *sum = pov_text_new("%.*s", (int)sum_length, sums);
        status = i <= POV_VLM_MORE_IMAGES ? add_one_of_several(a, path, sum, i == 0)
                                          : pov_error("%s: asks about more than %d images", question->key, i);
        free(path);
        free(sum);
        paths += path_length + (paths[path_length] == '|');
        sums += sum_length + (sums[sum_length] == '|');
    }
    cJSON_Delete(columns);
    return status;
}

/* Those that a question is sent with: the image that was taken, or what stands in its place; earlier views of a turn; a scaffold. */
static pov_status load_image(pov_asker *a, const pov_log_image_file *file, const pov_log_question *question)
{
    pov_log_picture picture;
    pov_log_image_file first = *file;
    if (pov_log_picture_read(&picture, question->columns, POV_PICTURE_FIRST)) {
        first.path = picture.path;
        first.sha256 = picture.sha256;
    }
    if (*first.path == '\0' && needs_image(question))
        return pov_error("%s: the log holds no images: if it was heard by 'pov listen', ask in the folder of "
                         "the station that took them; if it is a paper's set, import it with --images",
                         a->folder);
    POV_TRY(load_several(a, &a->is_about_several, question));
    if (!a->is_about_several)
        POV_TRY(load_named(a, &first));
    return pov_log_picture_read(&picture, question->columns, POV_PICTURE_SECOND)
               ? add_one_of_several(a, picture.path, picture.sha256, false)
               : pov_ok();
}

static pov_vlm_question describe_question(const pov_asker *a, const pov_log_question *question)
{
    pov_vlm_question asked = pov_vlm_config_question(&a->vlm, question->prompt);
    asked.image = a->sent.image;
    asked.more_len = a->more_len;
    memcpy(asked.more, a->more_sent, sizeof asked.more);
    asked.group = a->is_about_several ? 0 : (uint64_t)question->image; /* servers keep one image of a group */
    if (question->system)
        asked.system = *question->system ? question->system : NULL;
    if (question->token_max > asked.token_max)
        asked.token_max = question->token_max;
    if (pov_prompting_explains(pov_prompting_of_columns(question->columns)))
        asked.likely_wanted = 0; /* its first tokens are not the answer's */
    return asked;
}

/* guidance: what the model wrote before; NULL: it is asked for that, or there is none to ask for. */
static pov_status send_question(pov_asker *a, const pov_log_question *question, const char *guidance,
                                int place)
{
    const bool is_guided = pov_prompting_of_columns(question->columns) == POV_PROMPTING_SG_COT;
    pov_vlm_question asked = describe_question(a, question);
    char *text = !is_guided ? NULL
                 : guidance ? pov_prompting_add_guidance(question->prompt, guidance)
                            : pov_prompting_guidance_request(question->prompt);
    a->under_way[place].wants_guidance = is_guided && !guidance;
    if (text)
        asked.prompt = text;
    if (is_guided && !guidance) { /* a system prompt says how to answer */
        asked.system = NULL;
        asked.token_max = POV_PROMPTING_GUIDANCE_TOKENS;
    }
    const pov_status status = pov_vlm_client_ask(a->client, (uint64_t)place, &asked);
    free(text);
    return status;
}

/* What it wrote before, if it was killed between its two requests. */
static pov_status find_guidance(pov_asker *a, char **guidance, int64_t question)
{
    const char *text;
    *guidance = NULL;
    const pov_status status = pov_answer_log_guidance(a->log, &text, question, a->model);
    if (status.code == POV_OK)
        *guidance = strdup(text);
    POV_REQUIRE_MEMORY(status.code != POV_OK || *guidance);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status put_question(pov_asker *a, const pov_log_question *question,
                               const pov_log_image_file *image, int place, const pov_asker_image *about)
{
    asked_question *u = &a->under_way[place];
    const pov_vlm_question asked = describe_question(a, question);
    if (a->is_live)
        POV_TRY(check_cost(a));
    POV_TRY(send_question(a, question, u->guidance, place));
    note_asked(a, question->image);
    u->id = question->id;
    u->image = question->image;
    u->gold_p = question->gold ? question->gold_p : NAN;
    pov_utf8_shorten(u->prompt, sizeof u->prompt, question->prompt);
    const pov_comparison_moment moment = {about->occasion, about->sequence, about->angle_rad,
                                          about->turned_rad};
    if (a->teller)
        POV_TRY(pov_comparison_teller_ask(
            a->teller, &u->message,
            &(pov_comparison_request){question, image, asked.system, &a->sent, a->is_live ? &moment : NULL}));
    return pov_answer_form_of(&u->form, a->languages, question);
}

/* In: question, image: borrowed from the log, which is read again. */
static pov_status put_pending(pov_asker *a, pov_log_question *question, pov_log_image_file *image, int place,
                              const pov_asker_image *about)
{
    const pov_log_place before = {question->image, question->id - 1};
    if (pov_prompting_of_columns(question->columns) == POV_PROMPTING_SG_COT) {
        POV_TRY(find_guidance(a, &a->under_way[place].guidance, question->id));
        POV_TRY(pov_answer_log_pending(a->log, question, image, a->model, before));
    }
    const pov_status status = put_question(a, question, image, place, about);
    if (status.code != POV_OK)
        free_asked(a, &a->under_way[place]);
    return status;
}

/* Asks the question whose guidance came first. */
static pov_status ask_guided(pov_asker *a, int place)
{
    pov_log_question question;
    pov_log_image_file image;
    const asked_question *first = &a->guided[0];
    const pov_status found = pov_answer_log_pending(a->log, &question, &image, a->model,
                                                    (pov_log_place){first->image, first->id - 1});
    if (found.code != POV_OK || question.id != first->id)
        return found.code == POV_ERROR
                   ? found
                   : pov_error("question %lld is gone from the log", (long long)first->id);
    POV_TRY(load_image(a, &image, &question));
    POV_TRY(send_question(a, &question, first->guidance, place));
    a->under_way[place] = *first;
    a->under_way[place].wants_guidance = false;
    memmove(a->guided, a->guided + 1, (size_t)--a->guided_len * sizeof *a->guided);
    return pov_ok();
}

/* Requests are written and sent in the time that images leave: right after one was judged, while they come at all. */
static bool is_held_back(pov_asker *a)
{
    if (!a->is_live || !a->live.judged_ns)
        return false;
    const int64_t since_ns = pov_clock_monotonic_ns() - atomic_load(a->live.judged_ns);
    if (since_ns < GAP_NS || since_ns > FLOW_NS)
        return false;
    pthread_mutex_lock(&a->lock);
    const bool has_waiting = a->counts.waiting > 0;
    pthread_mutex_unlock(&a->lock);
    return has_waiting;
}

/* Hands questions to the client until it takes no more. POV_END: its budget is spent. */
static pov_status ask_pending(pov_asker *a)
{
    for (int place; a->guided_len > 0 && (place = free_place(a)) >= 0;) {
        const pov_status status = ask_guided(a, place);
        if (status.code != POV_OK)
            return status.code == POV_TIMEOUT ? pov_ok() : status;
    }
    for (;;) {
        pov_log_question question;
        pov_log_image_file image;
        pov_asker_image about = {.image = 0};
        const int place = free_place(a);
        if (place < 0)
            return pov_ok();
        pov_status status = next_question(a, &question, &image, &about);
        a->all_taken = status.code == POV_END;
        if (status.code != POV_OK)
            return status.code == POV_END ? pov_ok() : status;
        POV_TRY(load_image(a, &image, &question));
        status = put_pending(a, &question, &image, place, &about);
        if (status.code != POV_OK)
            return status.code == POV_TIMEOUT ? pov_ok() : status;
        a->cursor = (pov_log_place){question.image, question.id};
        if (is_held_back(a))
            return pov_ok();
    }
}

/* ---- what comes back ---- */

static pov_log_result describe_result(const pov_asker *a, const asked_question *asked)
{
    const pov_vlm_result *r = &a->result;
    return (pov_log_result){.question = asked->id,
                            .model = a->model,
                            .answered_ns = pov_clock_unix_ns(),
                            .outcome = pov_vlm_outcome_name(r->outcome),
                            .kind = "none",
                            .cause = r->cause,
                            .p = NAN,
                            .mass = NAN,
                            .body = r->body,
                            .body_len = r->body_len,
                            .endpoint = a->vlm.client.endpoints[r->endpoint].url,
                            .attempts = r->attempts,
                            .http_status = r->http_status,
                            .latency_ns = r->latency_ns,
                            .cost = r->cost};
}

/* The model may contradict the geometry, where that does not abstain. */
static void note_answer(const pov_asker *a, const asked_question *asked, const pov_log_result *result)
{
    char why[PROMPT_CAPACITY + 100], text[PROMPT_CAPACITY];
    pov_utf8_shorten(text, sizeof text, result->text ? result->text : "");
    if (!a->is_live) /* else the messages are recorded */
        pov_recorder_mark(a->recorder, "question %lld: %s -> %s: %s", (long long)asked->id, asked->prompt,
                          result->outcome, text);
    if (!pov_recorder_waits_for(a->recorder, POV_RECORD_DISAGREEMENT) || isnan(result->p) ||
        isnan(asked->gold_p) || (result->p > 0.5) == (asked->gold_p > 0.5))
        return;
    snprintf(why, sizeof why, "the model says %s, the geometry %s: %s", result->p > 0.5 ? "yes" : "no",
             asked->gold_p > 0.5 ? "yes" : "no", asked->prompt);
    pov_recorder_keep(a->recorder, why);
}

static pov_status record_result(pov_asker *a)
{
    asked_question *asked = &a->under_way[a->result.ticket];
    pov_log_result entry = describe_result(a, asked);
    pov_yes_no yes_no;
    bool counted;
    const pov_vlm_answer *answer = &a->result.answer;
    entry.prompt_tokens = answer->prompt_tokens;
    entry.answer_tokens = answer->answer_tokens;
    if (a->result.outcome == POV_VLM_ANSWERED) {
        entry.text = answer->text;
        pov_answer_form_score(&entry, &yes_no, &asked->form, answer, a->vlm.mass_min,
                              a->vlm.logprobs != POV_VLM_LOGPROBS_ON);
    }
    entry.guidance = asked->guidance;
    entry.first_token_ns = a->result.has_streamed ? asked->first_token_ns : 0;
    POV_TRY(pov_answer_log_add_result(a->log, &counted, &entry));
    note_answer(a, asked, &entry);
    if (a->teller)
        POV_TRY(pov_comparison_teller_answer(a->teller, &asked->message, &entry,
                                             a->result.outcome == POV_VLM_ANSWERED ? a->result.answer.model
                                                                                   : ""));
    note_result(a, asked->image, &entry);
    free_asked(a, asked);
    return pov_ok();
}

/* The first of two requests has brought guidance: the second one is next. */
static pov_status keep_guidance(pov_asker *a)
{
    asked_question *asked = &a->under_way[a->result.ticket];
    pov_log_result entry = describe_result(a, asked);
    entry.kind = "guidance";
    entry.text = a->result.answer.text;
    entry.prompt_tokens = a->result.answer.prompt_tokens;
    entry.answer_tokens = a->result.answer.answer_tokens;
    POV_TRY(pov_answer_log_add_guidance(a->log, &entry));
    asked->guidance = strdup(entry.text);
    POV_REQUIRE_MEMORY(asked->guidance);
    pthread_mutex_lock(&a->lock);
    a->counts.cost += entry.cost + a->live.cost_per_image;
    pthread_mutex_unlock(&a->lock);
    if (a->teller)
        pov_comparison_teller_fall_silent(a->teller, asked->id);
    a->guided[a->guided_len++] = *asked;
    *asked = (asked_question){.id = 0};
    return pov_ok();
}

/* Failures count only once an answer came after them. */
static pov_status keep_result(pov_asker *a)
{
    const int64_t id = a->under_way[a->result.ticket].id;
    if (a->result.outcome == POV_VLM_ANSWERED)
        a->failed_len = 0;
    else
        a->failed[a->failed_len++ % POV_VLM_ALIKE_MAX] = id;
    if (a->result.outcome == POV_VLM_ANSWERED && a->under_way[a->result.ticket].wants_guidance)
        return keep_guidance(a);
    return record_result(a);
}

/* Also the questions that failed alike before stay pending. */
static pov_status reopen_failed(pov_asker *a)
{
    const int before = a->result.alike - 1;
    for (int i = 1; i <= before && i <= a->failed_len && i <= POV_VLM_ALIKE_MAX; i++)
        POV_TRY(pov_answer_log_reopen(a->log, a->failed[(a->failed_len - i) % POV_VLM_ALIKE_MAX], a->model));
    return pov_ok();
}

/* The question stays pending. POV_END says how to go on. */
static pov_status give_up(pov_asker *a)
{
    note_result(a, a->under_way[a->result.ticket].image, NULL);
    free_asked(a, &a->under_way[a->result.ticket]);
    for (int i = 0; i < a->guided_len; i++) {
        note_result(a, a->guided[i].image, NULL);
        free_asked(a, &a->guided[i]);
    }
    a->guided_len = 0;
    POV_TRY(reopen_failed(a));
    return pov_status_with(
        POV_END,
        "asking has stopped, as no question would fare better: %.240s. Mend that, then ask "
        "again: the answers are kept, the other questions are pending",
        a->result.cause);
}

/* After giving up: what is answered all the same is kept, and other questions stay pending. */
static pov_status keep_late_result(pov_asker *a)
{
    if (a->result.outcome == POV_VLM_ANSWERED && !a->under_way[a->result.ticket].wants_guidance)
        return record_result(a);
    free_asked(a, &a->under_way[a->result.ticket]);
    return pov_ok();
}

static bool is_dead(const pov_vlm_result *result)
{
    return result->outcome == POV_VLM_UNREACHABLE || result->outcome == POV_VLM_TOO_SLOW;
}

/* ---- the thread ---- */

static bool read_flag(pov_asker *a, const bool *what)
{
    pthread_mutex_lock(&a->lock);
    const bool yes = *what;
    pthread_mutex_unlock(&a->lock);
    return yes;
}

/* Sleeps until something is asked of the thread, or new questions may be there. */
static void rest_awhile(pov_asker *a)
{
    const struct timespec until = pov_clock_deadline(WAIT_MS);
    pthread_mutex_lock(&a->lock);
    if (!a->stopping)
        pthread_cond_timedwait(&a->changed, &a->lock, &until);
    pthread_mutex_unlock(&a->lock);
}

/* A live run waits for a server to come back; a sweep's questions can be asked at another time. */
static bool is_hopeless(const pov_asker *a)
{
    return a->result.hopeless && !(a->is_live && pov_vlm_result_may_pass(&a->result));
}

/* Takes in the client's result. POV_END: no more is to be asked. */
static pov_status take_result(pov_asker *a, bool has_given_up)
{
    const pov_status given_up = is_hopeless(a) && !has_given_up ? give_up(a) : pov_ok();
    if (given_up.code != POV_OK)
        return given_up;
    return has_given_up ? keep_late_result(a) : keep_result(a);
}

/* What a server wanted otherwise may change its answers: it belongs to the model's settings. */
static pov_status keep_adaptations(pov_asker *a)
{
    char text[POV_MESSAGE_CAPACITY];
    pov_vlm_client_describe_adaptations(text, a->client);
    if (!*text || strcmp(text, a->adaptations) == 0)
        return pov_ok();
    snprintf(a->adaptations, sizeof a->adaptations, "%s", text);
    return pov_answer_log_adapt_model(a->log, a->model, text);
}

static void tell_notice(pov_asker *a)
{
    const char *notice = pov_vlm_client_notice(a->client);
    if (notice)
        pov_cli_warn("%s", notice);
}

static pov_status work(pov_asker *a)
{
    pov_status spent = pov_ok();
    bool has_given_up = false;
    while (!read_flag(a, &a->stopping)) {
        const bool is_last =
            read_flag(a, &a->finishing); /* before looking: nothing is added after it is set */
        const bool waits_for_gap = spent.code == POV_OK && is_held_back(a);
        if (spent.code == POV_OK && !waits_for_gap) {
            pov_status status = ask_pending(a);
            if (status.code == POV_END)
                spent = status;
            else if (status.code != POV_OK)
                return status;
        }
        if (has_given_up)
            pov_vlm_client_drop_pausing(a->client);
        const pov_status status =
            pov_vlm_client_next(a->client, &a->result, pov_clock_monotonic_ns(),
                                waits_for_gap && free_place(a) >= 0 ? GAP_LOOK_MS : WAIT_MS);
        tell_notice(a);
        if (status.code == POV_OK) {
            const pov_status adapted = keep_adaptations(a);
            if (adapted.code != POV_OK)
                return adapted;
            const pov_status taken = take_result(a, has_given_up);
            if (taken.code == POV_ERROR || (taken.code == POV_END && is_dead(&a->result)))
                return taken;
            has_given_up = has_given_up || taken.code == POV_END;
            spent = taken.code == POV_END ? taken : spent;
        } else if (status.code == POV_ERROR) {
            return status;
        } else if (status.code == POV_END && spent.code == POV_END) {
            return spent;
        } else if (status.code == POV_END && waits_for_gap) {
            usleep(GAP_LOOK_MS * 1000);
        } else if (status.code == POV_END && a->all_taken && is_last) {
            return pov_ok();
        } else if (status.code == POV_END) {
            rest_awhile(a);
        }
    }
    return pov_status_with(POV_END, "asked to stop");
}

static void *run(void *argument)
{
    pov_asker *a = argument;
    if (a->is_live) /* of this thread alone; where that is not permitted, it goes on as it is */
        pov_thread_works_behind();
    const pov_status outcome = work(a);
    pthread_mutex_lock(&a->lock);
    a->outcome = outcome;
    a->ended = true;
    if (outcome.code != POV_OK)
        pov_utf8_shorten(a->counts.ended, sizeof a->counts.ended, outcome.message);
    drop_all_waiting(a);
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

/* ---- from outside ---- */

/* Words that were cut off may be those that decide; probabilities are those of the first. */
static bool wants_more(void *user, uint64_t ticket, const pov_vlm_answer *answer)
{
    const pov_asker *a = user;
    const asked_question *asked = &a->under_way[ticket];
    pov_log_result entry = {.kind = ""};
    pov_yes_no yes_no;
    pov_answer_form_score(&entry, &yes_no, &asked->form, answer, a->vlm.mass_min, true);
    return asked->form.is_yes_no || asked->form.is_true_false
               ? yes_no.kind == POV_YES_NO_UNCLEAR || yes_no.kind == POV_YES_NO_MISSING
               : !answer->refused;
}

static void note_words(void *user, uint64_t ticket, const pov_vlm_words *words, bool is_first)
{
    pov_asker *a = user;
    asked_question *asked = &a->under_way[ticket];
    if (is_first)
        asked->first_token_ns = pov_clock_unix_ns();
    if (a->teller)
        pov_comparison_teller_speak(a->teller, asked->id, asked->prompt, words);
}

static pov_status set_up(pov_asker *a, const pov_asker_config *config)
{
    int64_t reopened;
    snprintf(a->folder, sizeof a->folder, "%s", config->folder);
    a->recorder = config->recorder;
    a->is_live = config->live != NULL;
    if (a->is_live)
        a->live = *config->live;
    POV_TRY(check_models(&a->vlm));
    POV_TRY(pov_languages_new(&a->languages, NULL));
    a->vlm.client.wants_more = wants_more;
    a->vlm.client.wants_more_user = a;
    a->vlm.client.streams = config->told != NULL;
    a->vlm.client.heard = note_words;
    a->vlm.client.heard_user = a;
    POV_TRY(pov_vlm_client_new(&a->client, &a->vlm.client));
    POV_TRY(pov_vlm_picture_new(&a->picture, &a->vlm.images[0]));
    POV_TRY(pov_vlm_picture_new(&a->other_picture, &a->vlm.images[0]));
    describe_servers(&a->counts, &a->vlm.client);
    a->place_len = pov_vlm_client_places(a->client);
    if (a->is_live && a->place_len > a->live.in_flight_max)
        a->place_len = a->live.in_flight_max;
    a->under_way = calloc((size_t)a->place_len, sizeof *a->under_way);
    a->guided = calloc((size_t)a->place_len, sizeof *a->guided);
    if (!a->under_way || !a->guided)
        return pov_error("asking: out of memory");
    POV_TRY(pov_answer_log_new(&a->log, config->log_path, POV_LOG_MUST_EXIST));
    POV_TRY(find_model(a));
    if (config->told)
        POV_TRY(open_teller(a, config->told));
    if (config->again)
        POV_TRY(pov_answer_log_reopen_failed(a->log, &reopened, a->model));
    pthread_mutex_init(&a->lock, NULL);
    pov_clock_condition_init(&a->changed);
    a->has_lock = true;
    const int code = pthread_create(&a->thread, NULL, run, a);
    a->has_thread = code == 0;
    return code == 0 ? pov_ok() : pov_error("cannot start a thread for asking: %s", strerror(code));
}

pov_status pov_asker_new(pov_asker **asker, const pov_asker_config *config)
{
    *asker = calloc(1, sizeof **asker);
    if (!*asker)
        return pov_error("asking: out of memory");
    (*asker)->vlm = *config->vlm;
    const pov_status status = set_up(*asker, config);
    if (status.code != POV_OK)
        pov_asker_destroy(asker);
    return status;
}

static void set_flag(pov_asker *a, bool *what)
{
    pthread_mutex_lock(&a->lock);
    *what = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

void pov_asker_destroy(pov_asker **asker)
{
    pov_asker *a = *asker;
    if (!a)
        return;
    if (a->has_thread) {
        set_flag(a, &a->stopping);
        pthread_join(a->thread, NULL);
    }
    if (a->has_lock) {
        pthread_cond_destroy(&a->changed);
        pthread_mutex_destroy(&a->lock);
    }
    pov_vlm_client_destroy(&a->client);
    pov_answer_log_destroy(&a->log);
    pov_vlm_picture_destroy(&a->picture);
    pov_vlm_picture_destroy(&a->other_picture);
    drop_more(a);
    pov_languages_destroy(&a->languages);
    pov_bytes_free(&a->image);
    for (int i = 0; a->under_way && i < a->place_len; i++)
        free_asked(a, &a->under_way[i]);
    for (int i = 0; i < a->guided_len; i++)
        free_asked(a, &a->guided[i]);
    pov_comparison_teller_destroy(&a->teller);
    free(a->under_way);
    free(a->guided);
    free(a);
    *asker = NULL;
}

/* ---- a live run, from outside ---- */

bool pov_asker_has_room(pov_asker *asker, int question_len)
{
    pthread_mutex_lock(&asker->lock);
    const int waiting = (int)asker->counts.waiting;
    const bool has_room = !asker->ended && !asker->stopping && asker->offered_len < OFFERED_MAX &&
                          (waiting == 0 || waiting + question_len <= asker->live.waiting_max);
    pthread_mutex_unlock(&asker->lock);
    return has_room;
}

void pov_asker_refuse(pov_asker *asker, int question_len)
{
    pthread_mutex_lock(&asker->lock);
    asker->counts.unasked += (uint64_t)question_len;
    pthread_mutex_unlock(&asker->lock);
}

void pov_asker_offer(pov_asker *asker, const pov_asker_image *image)
{
    pthread_mutex_lock(&asker->lock);
    POV_REQUIRE(asker->is_live && asker->offered_len < OFFERED_MAX);
    if (asker->ended) {
        asker->counts.unasked += (uint64_t)image->question_len;
    } else if (image->question_len > 0) {
        asker->offered[asker->offered_len++] = (offered_image){
            .about = *image, .offered_ns = pov_clock_monotonic_ns(), .waiting = image->question_len};
        asker->counts.waiting += (uint32_t)image->question_len;
        pthread_cond_broadcast(&asker->changed);
    }
    pthread_mutex_unlock(&asker->lock);
}

bool pov_asker_needs(pov_asker *asker, int64_t image)
{
    pthread_mutex_lock(&asker->lock);
    const bool needs = find_offered(asker, image) != NULL;
    pthread_mutex_unlock(&asker->lock);
    return needs;
}

void pov_asker_tell(pov_asker *asker, pov_asked_model *model)
{
    pthread_mutex_lock(&asker->lock);
    *model = asker->counts;
    pthread_mutex_unlock(&asker->lock);
}

int64_t pov_asker_model(const pov_asker *asker)
{
    return asker->model;
}

void pov_asker_finish(pov_asker *asker)
{
    set_flag(asker, &asker->finishing);
}

pov_status pov_asker_wait(pov_asker *asker, int timeout_ms)
{
    const struct timespec until = pov_clock_deadline(timeout_ms);
    pthread_mutex_lock(&asker->lock);
    while (!asker->ended && pthread_cond_timedwait(&asker->changed, &asker->lock, &until) != ETIMEDOUT)
        continue;
    const pov_status status = asker->ended ? asker->outcome : pov_status_of(POV_TIMEOUT);
    pthread_mutex_unlock(&asker->lock);
    return status;
}
