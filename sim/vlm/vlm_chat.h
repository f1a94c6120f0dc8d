/** The other end of compare/vlm/vlm_exchange.h: chat completion requests as a simulated server reads them, and what it replies.
 *  Each reply says that it is simulated. Pure but for allocating. */
#pragma once

#include "compare/vlm/vlm_truth.h"

/* ---- What a simulated VLM answers: the truth, seen through a bias. Pure: the same question about the same image gets the same
 * answer, in any order. ---- */

#define POV_VLM_SIM_MODEL "pov-vlm-sim (simulated)"

typedef enum {
    POV_VLM_BIAS_NONE,       /* the frame that the question means */
    POV_VLM_BIAS_EGOCENTRIC, /* the camera's axes, for every question */
    POV_VLM_BIAS_ALWAYS_YES,
    POV_VLM_BIAS_ALWAYS_NO,
    POV_VLM_BIAS_ADDRESSEE_BLIND, /* the camera's axes instead of a person's */
    POV_VLM_BIAS_NOISY,           /* P(yes) with normal noise, in [0, 1] */
    POV_VLM_BIAS_LEFT_RIGHT,      /* takes left for right */
    POV_VLM_BIAS_RANDOM,          /* P(yes), or one of the options, drawn uniformly */
    POV_VLM_BIAS_WRONG_LANGUAGE,  /* right, but in German; asked in German, in French */
    POV_VLM_BIAS_FIRST_OPTION,    /* says the first of the options; without options it is right */
    POV_VLM_BIAS_NEEDS_VIEW, /* the camera's axes, but with the scaffold of the question, its last image, the frame that is meant */
    POV_VLM_BIAS_FLIP_WRONG, /* right about images as they were taken, wrong about mirrored ones */
    POV_VLM_BIAS_PERSON,     /* a person's axes, or else the thing's own, for every question that has them */
    POV_VLM_BIAS_LONG,       /* numbers 1.2 times too large */
    POV_VLM_BIAS_COUNT
} pov_vlm_bias;
/** "none", "egocentric", "always-yes", ... */
extern const char *const POV_VLM_BIAS_NAMES[POV_VLM_BIAS_COUNT];

/** Where a model that thinks puts its thoughts. They begin with the contrary of its answer, so that who scores them is found out. */
typedef enum {
    POV_VLM_THINKING_NOT,
    POV_VLM_THINKING_TAGS,      /* <think> in the text */
    POV_VLM_THINKING_REASONING, /* "reasoning" beside the text */
    POV_VLM_THINKING_CONTENT,   /* "reasoning_content" beside it */
    POV_VLM_THINKING_HARMONY,   /* in a channel of its own, whose tokens are listed */
    POV_VLM_THINKING_COUNT
} pov_vlm_thinking;
/** "not", "think", "reasoning", "reasoning-content", "harmony". */
extern const char *const POV_VLM_THINKING_NAMES[POV_VLM_THINKING_COUNT];

typedef struct {
    pov_vlm_bias bias;
    pov_vlm_thinking thinking;
    bool calls_tools; /* instead of answering */
    double noise;     /* standard deviation of P(yes), for POV_VLM_BIAS_NOISY */
    double refuse;    /* share of questions that it says it cannot tell */
    bool ignore_image;
    uint64_t seed;
} pov_vlm_sim_config;
#define POV_VLM_SIM_CONFIG_DEFAULT ((pov_vlm_sim_config){.noise = 0.2, .seed = 1})

typedef struct {
    bool refused;     /* cannot tell: by lot, or it knows nothing of this image and question */
    double yes;       /* P(yes); NaN: the text is the answer */
    const char *text; /* what it says; borrowed, as the words */
    const char *yes_word, *no_word;
    char own[40]; /* what text points to, if it is its own */
    pov_vlm_thinking thinking;
    bool calls_tools;
    bool explains;       /* the contrary first, then the answer behind "Answer:" */
    const char *cogmap;  /* a map that it draws first; NULL: none */
    bool mirrors_cogmap; /* left is right in it */
} pov_vlm_sim_answer;

typedef struct {
    char prompt[POV_VLM_TRUTH_PROMPT_MAX + 1]; /* the last user message's texts, a line each */
    char system[POV_VLM_TRUTH_PROMPT_MAX + 1]; /* "": none; one that is longer is no simulated question's */
    uint64_t image;                            /* hash of the first image's bytes; 0: none */
    size_t image_len;
    uint64_t last;             /* hash of the last one's, if there are several; 0: there are not */
    int likely_wanted;         /* tokens with probabilities; 0: none */
    bool streams, wants_usage; /* an event stream; with the count of tokens */
} pov_vlm_chat_request;

/** Answers a request by what is known. */
void pov_vlm_sim_answer_find(pov_vlm_sim_answer *answer, const pov_vlm_sim_config *config,
                             const pov_vlm_truths *truths, const pov_vlm_chat_request *request);

/* ---- */

/** Images must be data URIs.
 *  Returns: POV_ERROR naming the key, for an HTTP status 400. */
POV_MUST_USE pov_status pov_vlm_chat_read(pov_vlm_chat_request *request, const char *json, size_t len);

/** A reply's body, the caller's to free(); NULL if out of memory. P(yes) is given by the first token's probabilities, some of
 *  which belong to neither yes nor no. */
char *pov_vlm_chat_write(const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer);
/** The same as an event stream: a word an event. */
char *pov_vlm_chat_write_stream(const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer);
/** {"error": {"message": ...}} */
char *pov_vlm_chat_write_error(const char *message);
/** The reply to GET /v1/models. */
char *pov_vlm_chat_write_models(void);
