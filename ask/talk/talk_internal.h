/** The parts of a dialogue. Used by ask/talk only. */
#pragma once

#include "ask/meaning/draft.h"
#include "ask/talk/answer.h"
#include "ask/talk/goal.h"
#include "ask/talk/talk.h"

/** A reading of at least so much takes a word that nobody knows, which may be a slip: %unknown in the grammars. */
enum { POV_UNKNOWN_COST = 8 };
enum { POV_LANGUAGES_MAX = 32, POV_OPTIONS_MAX = POV_ENTITY_MAX };

/** An utterance as it was read. Its nodes point into it. */
typedef struct {
    pov_chart *chart;
    pov_vocabulary vocabulary;
    pov_sentence sentence;
    const pov_grammar *grammar;
    const pov_node *reading;
    char text[POV_REQUEST_CAPACITY];
} pov_heard;

/** A question back that waits for its answer. */
typedef struct {
    enum { POV_NOTHING_OPEN, POV_THING_OPEN, POV_FRAME_OPEN } kind;
    pov_role role; /* of a thing */
    int len;
    pov_id thing[POV_OPTIONS_MAX];
    pov_hypothesis frame[POV_OPTIONS_MAX];
    double p[POV_OPTIONS_MAX];
    bool by_things;  /* of frames: each picks its thing of `meant`, for `role` */
    pov_id relatum;  /* of frames: whose own front is one of them */
    int rank;        /* of things: which of them, counted from where the answer says; 0: not counted */
    pov_meant meant; /* the things in each frame: a thing that is chosen tells of the frame */
} pov_asked_back;

struct pov_talk {
    int language_len;
    pov_grammar *language[POV_LANGUAGES_MAX];
    pov_moment *moment;
    pov_heard heard[2];
    pov_chart *spare; /* reads parts of an utterance while the nodes of the whole are kept */
    int last;         /* the one of `heard` that a fragment goes on with; -1 */
    pov_context base; /* who "it" and "she" are, frames that were meant */
    pov_context said; /* with which the last one was understood */
    pov_asked_back open;
    pov_scene *imagined;
    pov_lexicon *lexicon; /* one for each language */
    int spoken;           /* the language of the last utterance that was understood */
    bool has_why;
    pov_text why;
    pov_id picked; /* last; POV_ID_NONE */
    bool learns_nothing;
    pov_id beside;             /* what a thing was put relative to last; POV_ID_NONE */
    bool was_beside, was_step; /* the last goal was relative to it; to where the thing was */
    bool was_exact;            /* the last goal was at a distance that was said */
    double step_m;             /* of the last goal */
    pov_id given_to;           /* the last instruction's recipient was corrected to this one; POV_ID_NONE */
    const char *action;        /* of the last instruction; NULL */
    pov_id recipient;          /* of the last instruction; POV_ID_NONE */
    pov_text rest;             /* steps that wait until a question back is answered */
    struct cJSON *orders;      /* the last instruction's: a list of `action` and `pick_ids` */
    bool is_amid_steps;        /* the question back is about one of several steps */
    bool calls_off;            /* the utterance: "stop", "no" */
};

/** The reply that is being made. */
typedef struct {
    pov_talk *talk;
    const pov_talk_about *about; /* or `imagined`, while a hypothetical viewer is spoken of */
    const pov_talk_about *real;
    pov_talk_about imagined;
    const pov_grammar *language; /* of the utterance, and of the reply */
    pov_talk_reply *reply;
    pov_context context;
    const pov_heard *heard; /* what is answered: the utterance, or the one that it goes on with */
    const char *utterance;
    pov_asked_back open;
    pov_answer told;
    struct cJSON *answer; /* members of the answer's own */
    pov_text why;
    pov_id picked;
    pov_text question;  /* asked back */
    const char *action; /* "give", "put"; NULL: none was said */
    pov_id recipient, source;
    bool has_several; /* several things are picked */
    pov_text rest;    /* of several steps, those behind the first */
    pov_meant unfit;  /* where the wanted thing is not as it was described: what its nouns mean */
    bool has_unfit;
} pov_replying;

/** Answers what was heard with a context. POV_ERROR: it is refused; the message is the sentence. */
POV_MUST_USE pov_status pov_reply_to_question(pov_replying *r, const pov_node *question);
POV_MUST_USE pov_status pov_reply_with_pick(pov_replying *r, const pov_node *wanted);
/** "the truck and the teddy": picks each. */
POV_MUST_USE pov_status pov_reply_with_picks(pov_replying *r, const pov_node *instruction);
POV_MUST_USE pov_status pov_reply_with_goal(pov_replying *r, const pov_node *goal);
/** Are two equal in size, distance or heading? How tall is it? Which are more? */
POV_MUST_USE pov_status pov_reply_with_comparison(pov_replying *r, const pov_node *core);
/** Finds the one thing that a phrase means, which "it" means next. Where several fit, asks which (r->open), for that role. */
POV_MUST_USE pov_status pov_reply_find_one(pov_id *id, pov_replying *r, const pov_node *phrase,
                                           pov_role role);
/** Answers which camera of the station sees a thing best. */
POV_MUST_USE pov_status pov_reply_with_camera(pov_replying *r, const pov_node *core);
/** Greetings, help, "describe the scene", "stop". */
void pov_reply_to_phatic(pov_replying *r, const pov_node *core);

/** Fills the reply's `cancels`, and remembers what it orders. */
void pov_orders_follow(pov_talk *talk, pov_talk_reply *reply);
void pov_orders_forget(pov_talk *talk);
/** "give the red cup, look at anna": what was ordered last; "": nothing. */
void pov_orders_write(const pov_replying *r, pov_text *text);

/** "10 cm", "two inches", an AMOUNT; 0: none is said. */
double pov_amount_read_m(const pov_node *amount);
/** "when": in which images a question that is answered by yes or no has a yes. */
POV_MUST_USE pov_status pov_reply_with_times(pov_replying *r, const pov_node *when);
/** Hears one step. In: rest: what is to be done behind it; out: what is left, or was heard behind it. */
POV_MUST_USE pov_status pov_talk_hear_step(pov_talk *talk, pov_talk_reply *reply, const pov_talk_about *about,
                                           const char *utterance, pov_text *rest);
/** Takes the viewpoints of what is answered, and the scene as it is then imagined. */
POV_MUST_USE pov_status pov_reply_read_views(pov_replying *r);
/** Answers a fragment: it goes on with the last utterance, or answers a question back. `goes_on` false: it turned out to be new. */
POV_MUST_USE pov_status pov_reply_to_fragment(pov_replying *r, const pov_node *fragment, bool *goes_on);
/** Whether the last utterance said where a thing is to go. */
bool pov_talk_follows_goal(const pov_talk *talk);
/** Answers the last utterance once more, in a context that differs from its own. */
POV_MUST_USE pov_status pov_reply_again(pov_replying *r);

/** Reads heard->text: in the language spoken last, if it has it as it is; else in the one that knows most of its letters, with slips
 *  mended where none has all. Out: the readings, cheapest first. */
POV_MUST_USE pov_status pov_heard_read(int *len, pov_talk *talk, pov_heard *heard, const pov_scene *scene,
                                       const pov_node *nodes[POV_READINGS_KEPT]);
/** The words of the scene in a language. */
const pov_lexicon *pov_talk_lexicon(pov_talk *talk, const pov_scene *scene, const pov_grammar *language);
/** A word that neither the scene nor the language has, nor one like it; NULL. */
const char *pov_heard_unknown_word(const pov_heard *heard);
/** The word at which its language goes on no further; NULL: it ends too early. */
const char *pov_heard_stuck_word(pov_heard *heard);
/** Writes the parts of a reading that carry its meaning: (THING "the ball") (RELATUM "the car"). */
void pov_heard_write(char *text, size_t capacity, const pov_heard *heard, const pov_node *node);
/** The question, instruction, goal, fragment or refusal without what surrounds it. */
const pov_node *pov_core_of(const pov_node *reading);

/** "take the cup, then put it on the book": cuts heard->text behind the first step. False: it is one step, or is not understood. */
bool pov_heard_split(pov_heard *heard, pov_chart *spare, pov_text *rest);
/** Is the image too old to act on? */
bool pov_talk_is_stale(const pov_talk_about *about);
/** Makes the reply's JSON, and puts the slips that were mended before its sentence. */
void pov_reply_write_json(pov_replying *r, const char *reading, const pov_mended *mended);

/** Says why the answer is as it is. */
void pov_reply_explain(pov_replying *r);
/** "the ball is behind the car", "anna sees the ball": what a yes to a request of kind RELATION or SEES says; "" for others. */
void pov_reply_state(const pov_replying *r, pov_text *text);
/** Answers a request: members of the answer, and lines of text. POV_ERROR: out of memory. */
POV_MUST_USE pov_status pov_reply_make_answer(pov_replying *r, const pov_request *request);

/** Where nothing is as it was described: keeps what the nouns alone mean, to ask for it. */
void pov_note_unfit(pov_replying *r, const pov_meant *meant);
/** Asks without offering anything: "Which one, then?". What was open stays so. */
void pov_ask_plainly(pov_replying *r, const char *english);
/** Asks for the thing, or the frame of reference, that is meant. In: phrase: a relation's; NULL. */
void pov_ask_for_thing(pov_replying *r, const pov_meant *meant, pov_role role);
void pov_ask_for_frame(pov_replying *r, const pov_hypothesis *frames, int len, const char *phrase,
                       pov_id relatum);

/** "as you see it", "as I see it", "by the car's own front". Returns text. */
const char *pov_say_frame(char text[96], const pov_context *context, const pov_hypothesis *frame,
                          pov_id relatum);
/** A word or sentence of a reply in the utterance's language. */
const char *pov_reply_text(const pov_replying *r, const char *english);
/** Writes a pattern of the utterance's language ("RELATION RELATUM FRAME"), each of its capital words replaced by a text. `slots`: words and
 *  texts in turn, NULL behind the last. */
void pov_reply_fill(const pov_replying *r, pov_text *text, const char *pattern, const char *const *slots);
/** Adds to a text, in the utterance's language. */
void pov_reply_add(const pov_replying *r, pov_text *text, const char *english, ...)
    __attribute__((format(printf, 3, 4)));
/** Names in a sentence as the language has them: "the red mug" as „red mug“. */
void pov_reply_put_names(const pov_replying *r, pov_text *text);
/** Lets a context be about the scene of the reply, which a remembered one is not, in the words of what is answered. */
void pov_reply_set_scene(const pov_replying *r, pov_context *context);
/** Sets what is said, and the outcome. */
void pov_reply_say(pov_replying *r, pov_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** The only addressee; POV_ID_NONE. */
pov_id pov_speaker_of(const pov_context *context);
