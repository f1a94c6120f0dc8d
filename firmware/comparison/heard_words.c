#include "firmware/comparison/heard_words.h"

#include "config/files/grow.h"
#include "config/files/json_value.h"
#include "config/files/utf8.h"
#include "perception/observation/observation.h"

#include <cjson/cJSON.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROMPT_CAPACITY = 400,
    SHOWN_CAPACITY = 400 /* of the newest words, about four lines of the page; chosen */
};

typedef struct {
    char model[POV_MODEL_NAME_CAPACITY];
    int64_t question; /* 0: none is followed */
    char prompt[PROMPT_CAPACITY], answer[SHOWN_CAPACITY], thoughts[SHOWN_CAPACITY];
} followed_answer;

struct pov_heard_words {
    pthread_mutex_t lock;
    uint64_t version;
    int len, capacity;
    followed_answer *answers; /* one a model */
};

pov_heard_words *pov_heard_words_new(void)
{
    pov_heard_words *heard = pov_allocate(1, sizeof *heard);
    pthread_mutex_init(&heard->lock, NULL);
    return heard;
}

void pov_heard_words_destroy(pov_heard_words **heard)
{
    if (!*heard)
        return;
    pthread_mutex_destroy(&(*heard)->lock);
    free((*heard)->answers);
    free(*heard);
    *heard = NULL;
}

/* Under the lock. NULL: none. */
static followed_answer *find_answer(const pov_heard_words *heard, const char *model)
{
    char name[POV_MODEL_NAME_CAPACITY];
    pov_utf8_shorten(name, sizeof name, model);
    for (int i = 0; i < heard->len; i++)
        if (strcmp(heard->answers[i].model, name) == 0)
            return &heard->answers[i];
    return NULL;
}

/* Under the lock. */
static followed_answer *add_answer(pov_heard_words *heard, const char *model)
{
    POV_REQUIRE_MEMORY(pov_grow(&heard->answers, &heard->capacity, heard->len, sizeof *heard->answers));
    followed_answer *answer = &heard->answers[heard->len++];
    *answer = (followed_answer){.question = 0};
    pov_utf8_shorten(answer->model, sizeof answer->model, model);
    return answer;
}

/* The newest words, from the beginning of a character on. */
static void copy_end(char shown[SHOWN_CAPACITY], const pov_text *text)
{
    static const char before[] = "… ";
    const size_t room = SHOWN_CAPACITY - sizeof before;
    const char *from = pov_text_of(text);
    char end[SHOWN_CAPACITY];
    if (text->len < SHOWN_CAPACITY) {
        pov_utf8_copy(shown, SHOWN_CAPACITY, from);
        return;
    }
    from += text->len - room;
    while ((*from & 0xc0) == 0x80)
        from++;
    pov_utf8_copy(end, sizeof end, from);
    POV_REQUIRE(pov_text_fits_as(shown, SHOWN_CAPACITY, "%s%s", before, end));
}

void pov_heard_words_note(pov_heard_words *heard, const char *model, int64_t question, const char *prompt,
                          const pov_vlm_words *words)
{
    pthread_mutex_lock(&heard->lock);
    followed_answer *answer = find_answer(heard, model);
    if (!answer)
        answer = add_answer(heard, model);
    if (answer->question == 0 || answer->question == question) {
        answer->question = question;
        pov_utf8_shorten(answer->prompt, sizeof answer->prompt, prompt);
        copy_end(answer->answer, &words->answer);
        copy_end(answer->thoughts, &words->thoughts);
        heard->version++;
    }
    pthread_mutex_unlock(&heard->lock);
}

void pov_heard_words_end(pov_heard_words *heard, const char *model, int64_t question)
{
    pthread_mutex_lock(&heard->lock);
    followed_answer *answer = find_answer(heard, model);
    if (answer && question != 0 && answer->question == question) {
        answer->question = 0;
        heard->version++;
    }
    pthread_mutex_unlock(&heard->lock);
}

uint64_t pov_heard_words_version(pov_heard_words *heard)
{
    pthread_mutex_lock(&heard->lock);
    const uint64_t version = heard->version;
    pthread_mutex_unlock(&heard->lock);
    return version;
}

cJSON *pov_heard_words_write(pov_heard_words *heard, const char *model)
{
    cJSON *object = NULL;
    pthread_mutex_lock(&heard->lock);
    const followed_answer *answer = find_answer(heard, model);
    if (answer && answer->question != 0) {
        object = cJSON_CreateObject();
        pov_json_add_text(object, "prompt", answer->prompt);
        pov_json_add_text(object, "thoughts", answer->thoughts);
        pov_json_add_text(object, "answer", answer->answer);
    }
    pthread_mutex_unlock(&heard->lock);
    return object ? object : cJSON_CreateNull();
}
