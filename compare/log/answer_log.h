/** The log of a comparison: images with their judgments, the questions about them, and each model's answers. An
 *  SQLite file in WAL mode with synchronous=FULL: a call that returned POV_OK has reached the disk. docs/LOG.md has the
 *  schema.
 *
 *  A question is pending for a model until a counted answer is in the log; there is never a second one. A
 *  killed program thus loses, at most, answers that did not count yet. One thread owns a log; other threads and processes may have
 *  the same file open. Input strings are copied; output strings are borrowed until the next call. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "compare/log/log_file.h"
#include "config/files/digest.h"

typedef struct pov_answer_log pov_answer_log;

/** Returns: POV_ERROR, and leaves the file as it is, if it is none of ours, damaged, or from a later version. */
POV_MUST_USE pov_status pov_answer_log_new(pov_answer_log **log, const char *path, pov_log_opening opening);
/** What POV_LOG_READ left out. */
const pov_log_damage *pov_answer_log_damage(const pov_answer_log *log);
void pov_answer_log_destroy(pov_answer_log **log);
/** True if a file is such a log, by its header. */
bool pov_answer_log_is_one(const char *path);
/** For what joins logs. */
pov_log_file *pov_answer_log_file(pov_answer_log *log);

/** A run: the same configuration is the same run, however often it is resumed. */
typedef struct {
    int64_t id;
    int64_t started_ns;  /* UNIX epoch */
    const char *version; /* of pov */
    const char *config;  /* everything that decides about images and questions, as JSON */
    char config_hash[POV_DIGEST_CAPACITY];
    uint64_t seed;
    bool simulated;
} pov_log_run;

/** Appends a run; sets its id and config_hash. */
POV_MUST_USE pov_status pov_answer_log_add_run(pov_answer_log *log, pov_log_run *run);
/** The last run. POV_UNDEFINED: there is none. */
POV_MUST_USE pov_status pov_answer_log_last_run(pov_answer_log *log, pov_log_run *run);

/** What a log's images show. A rotation is one scene, however often it is repeated with the same pairs and variant; images drawn from a
 *  world, or of a paper's released set, are one each. */
typedef struct {
    bool is_one;
    char name[13]; /* of its pairs and variant; else of its configuration */
} pov_log_scene;
POV_MUST_USE pov_status pov_answer_log_scene(pov_answer_log *log, pov_log_scene *scene);

/** One image. Text that is NULL is not known. */
typedef struct {
    int64_t id, run;
    int stop;        /* place in the rotation, from 0 */
    double turn_deg; /* of the table, as commanded; NaN: none */
    double
        phi_deg; /* the referent's azimuth about the relatum, 0 toward the camera, as judged; NaN: unknown */
    double curve_deg; /* its place on COMFORT's curves, 0, 10, ... 350, which several may have; NaN: none */
    char sha256[POV_DIGEST_CAPACITY]; /* of the stored file */
    const char *name;
    const char *path; /* of the stored file, relative to the log's folder */
    int64_t capture_ns;
    const char *calibration_hash;
    const char *evidence; /* the observation, as `pov run --json` prints it */
    const char *truth;    /* of a simulation, in the same form */
} pov_log_image;

/** The name of what an image shows. */
const char *pov_log_scene_of(const pov_log_scene *scene, const pov_log_image *image);

/** One question about one image. */
typedef struct {
    int64_t id, image;
    const char *key;   /* stable: names the question among those of its image */
    const char *paper; /* "comfort", ... */
    const char *prompt;
    const char *system;   /* NULL: the model's configuration says */
    const char *language; /* "en" */
    const char *form;     /* the expected answer: "yes_no", "option", "number", "text" */
    const char *gold;     /* the station's answer; NULL: it abstains, or there is none */
    const char *truth;    /* the simulation's */
    double gold_p;        /* the station's P(yes); NaN: none */
    const char *golds; /* the right answer in each frame of reference, as a JSON list; NULL: one frame only */
    const char *columns; /* the columns that `pov score` needs, as a JSON object */
    int token_max;       /* of the answer */
} pov_log_question;

/** True if there is no image: the questions' text is complete, as FoREST's is, or a set came without. One that is elsewhere ('pov listen --log') has a digest. */
bool pov_log_image_is_none(const char *path, const char *sha256);
/** Appends an image with its questions, all or none; sets the image's id. A key that comes twice counts once.
 *  Returns: POV_ERROR if the run has an image at that stop already. */
POV_MUST_USE pov_status pov_answer_log_add_image(pov_answer_log *log, pov_log_image *image,
                                                 const pov_log_question *questions, int len);
/** Appends those questions that the image does not have yet; *added tells how many. */
POV_MUST_USE pov_status pov_answer_log_add_questions(pov_answer_log *log, int *added, int64_t image,
                                                     const pov_log_question *questions, int len);

/** The number of a model asked with certain settings (anything that may change its answers). */
POV_MUST_USE pov_status pov_answer_log_model(pov_answer_log *log, int64_t *model, const char *name,
                                             const char *settings);

/** Adds to a model's settings how its server wanted to be asked ("adapted: ..."). It stays the same model: the settings that it was asked with
 *  find it. */
POV_MUST_USE pov_status pov_answer_log_adapt_model(pov_answer_log *log, int64_t model,
                                                   const char *adaptations);

/** Takes a model out of the log: its results, whatever the settings, and itself. All or nothing, and on the disk when it returns.
 *  Returns: POV_ERROR naming the models that there are, if it is none of them. */
POV_MUST_USE pov_status pov_answer_log_drop_model(pov_answer_log *log, int64_t *results, const char *name);

/** A stored image's file, relative to the log's folder, the SHA-256 of its bytes, and the image that it holds. */
typedef struct {
    const char *path, *sha256, *name;
    int stop;
    int64_t capture_ns;
    double phi_deg, curve_deg; /* as of pov_log_image */
} pov_log_image_file;

/** A question's place in the order in which questions are asked: image by image. {0}: before the first. */
typedef struct {
    int64_t image, question;
} pov_log_place;

/** The first pending question after a place, and its image's file.
 *  Returns: POV_OK; POV_END: there is none now. */
POV_MUST_USE pov_status pov_answer_log_pending(pov_answer_log *log, pov_log_question *question,
                                               pov_log_image_file *image, int64_t model, pov_log_place after);

/** For what keeps a log of what it hears. Each finds the row of the same run (by its configuration), run and stop, or image and key; or
 *  else adds it, and sets its id. A question keeps the id that it comes with (0: none), if that is free: questions are read in their order. */
POV_MUST_USE pov_status pov_answer_log_need_run(pov_answer_log *log, pov_log_run *run);
POV_MUST_USE pov_status pov_answer_log_need_image(pov_answer_log *log, pov_log_image *image);
POV_MUST_USE pov_status pov_answer_log_need_question(pov_answer_log *log, pov_log_question *question);

/** The outcome of a question. */
typedef struct {
    int64_t question, model;
    int64_t answered_ns;    /* UNIX epoch */
    const char *outcome;    /* "answered", or why there is no answer: "too_slow", ... */
    const char *kind;       /* how it was scored: "tokens", "text", or why not: "refused", ... */
    const char *cause;      /* in words; "" if there is nothing to say */
    double p, mass;         /* NaN: none */
    int64_t first_token_ns; /* UNIX epoch; only said here, as the next; 0: the answer came whole */
    const char *guidance;   /* that the model wrote before; stored in a row of its own */
    const char *text;       /* the answer's words, whole: POV_ANSWER_BYTES_MAX at most; NULL: none came */
    const void *body;       /* of the response, as it came */
    size_t body_len;
    const char *endpoint;
    int attempts, http_status;
    int64_t latency_ns, prompt_tokens, answer_tokens;
    double cost;
} pov_log_result;

/** Writes a result. A second result for an answered question is kept, but does not count. */
POV_MUST_USE pov_status pov_answer_log_add_result(pov_answer_log *log, bool *counted,
                                                  const pov_log_result *result);
/** Writes a result unless there is a counted one already. Between begin and finish: one transaction for many. */
POV_MUST_USE pov_status pov_answer_log_add_first(pov_answer_log *log, bool *added,
                                                 const pov_log_result *result);
/** Writes what a model wrote as its own guidance before a question (sg-cot). It never counts: the question stays pending. */
POV_MUST_USE pov_status pov_answer_log_add_guidance(pov_answer_log *log, const pov_log_result *result);
/** The last guidance that a model wrote for a question. POV_END: none. */
POV_MUST_USE pov_status pov_answer_log_guidance(pov_answer_log *log, const char **text, int64_t question,
                                                int64_t model);
POV_MUST_USE pov_status pov_answer_log_begin(pov_answer_log *log);
/** Undoes all since begin unless `status` is POV_OK. Returns: `status`, or what went wrong. */
POV_MUST_USE pov_status pov_answer_log_finish(pov_answer_log *log, pov_status status);
/** Makes failed questions (outcome other than "answered") pending again; their results are kept. */
POV_MUST_USE pov_status pov_answer_log_reopen_failed(pov_answer_log *log, int64_t *reopened, int64_t model);

/** The same for one question. */
POV_MUST_USE pov_status pov_answer_log_reopen(pov_answer_log *log, int64_t question, int64_t model);

/** Makes a question pending again whatever its result was: a person takes an answer back. The result is kept, and does not count. */
POV_MUST_USE pov_status pov_answer_log_take_back(pov_answer_log *log, int64_t question, int64_t model);

typedef struct {
    int64_t questions, answered, failed; /* the others are pending */
    int64_t unscored;                    /* answered, but neither yes nor no; without refusals */
    int64_t images;
    int64_t tokens, with_usage; /* of all results, and the number of those that tell their tokens */
    double cost;                /* of all results */
} pov_log_counts;
POV_MUST_USE pov_status pov_answer_log_count(pov_answer_log *log, pov_log_counts *counts, int64_t model);

enum { POV_LOG_CAUSES_MAX = 4 };
typedef struct {
    int64_t count;
    char outcome[24], text[320];
} pov_log_cause;
typedef struct {
    int len;
    pov_log_cause list[POV_LOG_CAUSES_MAX];
} pov_log_causes;
/** The causes of failed questions, the commonest first. */
POV_MUST_USE pov_status pov_answer_log_causes(pov_answer_log *log, pov_log_causes *causes, int64_t model);
/** The causes of unscored answers, and of those scored from words ("text") though probabilities came: `outcome` is their kind, `text` the cause of one of them. */
POV_MUST_USE pov_status pov_answer_log_unscored(pov_answer_log *log, pov_log_causes *causes, int64_t model);

/** A person's name among the models is this and a pseudonym (`pov study questions`). */
#define POV_PERSON_PREFIX "person "
/** `pov vlm-sim` names itself in each response, so its answers are known under any model's name. */
bool pov_log_result_is_simulated(const pov_log_result *result);

/* ---- Reading a log row by row: each question with its image, and with a model's counted answer where there is one. ---- */

typedef struct {
    pov_log_image image; /* without evidence and truth: pov_answer_log_image has them */
    pov_log_question question;
    bool is_again;                /* the question of the row before, with another model's answer */
    const char *model, *settings; /* a model that was asked some of these questions; NULL: none was */
    bool has_result;              /* false: not asked this one yet */
    pov_log_result result;        /* valid if has_result */
} pov_answer_row;

/** Takes one row, whose strings are borrowed until it returns. POV_END: no more rows are wanted. */
typedef pov_status pov_answer_visit(void *context, pov_answer_row *row);

/** Visits all rows, in the order of questions, then of models.
 *  Returns: POV_OK, also after a visitor's POV_END; a visitor's error; POV_ERROR if the log cannot be read. */
POV_MUST_USE pov_status pov_answer_log_each(pov_answer_log *log, pov_answer_visit *visit, void *context);

/** The same, in the same order, without long texts, so that much less is read: of image, question and result it has numbers, keys, paper,
 *  language, form, columns, outcome and kind. */
POV_MUST_USE pov_status pov_answer_log_each_asked(pov_answer_log *log, pov_answer_visit *visit,
                                                  void *context);

/** True if any question of a paper ("comfort", ...) has been answered. */
POV_MUST_USE pov_status pov_answer_log_has(pov_answer_log *log, bool *has, const char *paper);
/** How many results are counted. */
POV_MUST_USE pov_status pov_answer_log_results(pov_answer_log *log, int64_t *results);

/** Removes an image with its questions and their results; its file stays. */
POV_MUST_USE pov_status pov_answer_log_forget_image(pov_answer_log *log, int64_t image);

/** The first image after the one numbered `after` (0: from the start), with evidence and truth. POV_END: there is none. */
POV_MUST_USE pov_status pov_answer_log_image(pov_answer_log *log, pov_log_image *image, int64_t after);
