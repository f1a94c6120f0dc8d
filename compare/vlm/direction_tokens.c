#include "compare/vlm/direction_tokens.h"

#include "compare/answers/answer_parse.h"
#include "compare/vlm/vlm_exchange.h"
#include "config/files/text.h"

#include <math.h>
#include <string.h>

enum { SAID_MAX = 4096 }; /* reading it again at each token takes the square of its length; chosen */

static const char *const words[4] = {"north", "east", "south", "west"};

typedef struct {
    pov_text said; /* so far */
    double *p;
    bool found;
} direction_search;

/* Bits of the directions whose words are in a token. */
static unsigned find_words(const char *token)
{
    unsigned bits = 0;
    for (int i = 0; i < 4; i++)
        bits |= strcasestr(token, words[i]) ? 1u << i : 0;
    return bits;
}

static void add_token(direction_search *search, const pov_vlm_token *token)
{
    const unsigned bits = find_words(token->text);
    for (int i = 0; i < 4; i++)
        search->p[i] += bits >> i & 1 ? exp(token->logprob) : 0;
}

/* As it is read: with a space for each of the marks that tokenizers write for one. */
static void add_said(pov_text *said, const char *token)
{
    static const char *const spaces[] = {"\xe2\x96\x81", "\xc4\xa0", "\xc4\x8a"};
    while (*token) {
        size_t len = 0;
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces && len == 0; i++)
            len = strncmp(token, spaces[i], strlen(spaces[i])) == 0 ? strlen(spaces[i]) : 0;
        pov_text_add_bytes(said, len > 0 ? " " : token, 1);
        token += len > 0 ? len : 1;
    }
}

static bool look_at(void *context, const pov_vlm_position *position)
{
    direction_search *search = context;
    bool named[4], lists_chosen = false;
    add_said(&search->said, position->chosen.text);
    if (search->said.len > SAID_MAX)
        return false;
    if (!find_words(position->chosen.text) ||
        pov_answer_directions(named, pov_text_of(&search->said), POV_ANSWER_CARDINALS) != POV_ANSWER_GIVEN)
        return true;
    for (int i = 0; i < position->likely_len; i++) {
        lists_chosen = lists_chosen || strcmp(position->likely[i].text, position->chosen.text) == 0;
        add_token(search, &position->likely[i]);
    }
    if (!lists_chosen)
        add_token(search, &position->chosen);
    search->found = position->likely_len > 0;
    return false;
}

bool pov_direction_tokens_read(double p[4], const pov_log_result *result)
{
    pov_vlm_answer answer;
    direction_search search = {.p = p};
    memset(p, 0, 4 * sizeof *p);
    if (!result->body || strcmp(result->kind, "text") != 0)
        return false;
    const pov_status status =
        pov_vlm_answer_visit(&answer, (const char *)result->body, result->body_len, look_at, &search);
    if (status.code == POV_OK)
        pov_vlm_answer_free(&answer);
    pov_text_free(&search.said);
    return status.code == POV_OK && search.found;
}
