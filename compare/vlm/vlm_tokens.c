#include "compare/vlm/vlm_tokens.h"

#include "compare/answers/answer_parse.h"
#include "config/files/utf8.h"

#include <cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one token ---- */

/* Reads the list "bytes". False: there is none. */
static bool read_bytes(char *out, size_t capacity, size_t *len, const cJSON *item)
{
    const cJSON *byte, *bytes = cJSON_GetObjectItemCaseSensitive(item, "bytes");
    *len = 0;
    if (!cJSON_IsArray(bytes) || cJSON_GetArraySize(bytes) == 0)
        return false;
    cJSON_ArrayForEach(byte, bytes)
    {
        if (!cJSON_IsNumber(byte) || !(byte->valuedouble >= 0 && byte->valuedouble <= 255))
            return false;
        if (*len + 1 < capacity)
            out[(*len)++] = byte->valueint == 0 ? '?' : (char)byte->valueint;
    }
    out[*len] = '\0';
    return true;
}

/* "<0xE6>": SentencePiece's name for a byte. */
static bool read_byte_name(char *byte, const char *text)
{
    unsigned value;
    char end;
    if (strlen(text) != 6 || sscanf(text, "<0x%2x%c", &value, &end) != 2 || end != '>' || value == 0)
        return false;
    *byte = (char)value;
    return true;
}

/* Spells a token by its bytes, which also resolve "token_id:9642". The text is long enough for any token of a language; of
 * a longer one its beginning counts. */
static pov_status spell_token(char text[POV_VLM_TOKEN_CAPACITY], const cJSON *item, const char *where)
{
    size_t len;
    const cJSON *token = cJSON_GetObjectItemCaseSensitive(item, "token");
    if (read_bytes(text, POV_VLM_TOKEN_CAPACITY, &len, item))
        return pov_ok();
    if (!cJSON_IsString(token))
        return pov_error("%s.token: missing, or not a string", where);
    if (read_byte_name(&text[0], token->valuestring))
        text[1] = '\0';
    else
        pov_utf8_copy(text, POV_VLM_TOKEN_CAPACITY, token->valuestring);
    return pov_ok();
}

static pov_status read_token(pov_vlm_token *token, const cJSON *item, const char *where)
{
    const cJSON *logprob = cJSON_GetObjectItemCaseSensitive(item, "logprob");
    POV_TRY(spell_token(token->text, item, where));
    if (!cJSON_IsNumber(logprob) || !isfinite(logprob->valuedouble))
        return pov_error("%s.logprob: missing, or not a number", where);
    if (logprob->valuedouble > 1e-6)
        return pov_error("%s.logprob: %g is the logarithm of no probability", where, logprob->valuedouble);
    token->logprob = fmin(logprob->valuedouble, 0);
    return pov_ok();
}

static pov_status read_position(pov_vlm_position *position, const cJSON *item, const char *where)
{
    char name[160];
    POV_TRY(read_token(&position->chosen, item, where));
    position->likely_len = 0;
    const cJSON *likely;
    cJSON_ArrayForEach(likely, cJSON_GetObjectItemCaseSensitive(item, "top_logprobs"))
    {
        if (position->likely_len == POV_VLM_LIKELY_MAX)
            break;
        snprintf(name, sizeof name, "%s.top_logprobs[%d]", where, position->likely_len);
        POV_TRY(read_token(&position->likely[position->likely_len], likely, name));
        position->likely_len++;
    }
    return pov_ok();
}

/* ---- the text that tokens spell, without space ---- */

typedef struct {
    char *bytes;
    int *token; /* of each byte */
    size_t len, capacity;
} spelling;

static void append_byte(spelling *s, char byte, int token)
{
    if (s->len == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 256;
        s->bytes = realloc(s->bytes, s->capacity);
        s->token = realloc(s->token, s->capacity * sizeof *s->token);
        POV_REQUIRE_MEMORY(s->bytes && s->token);
    }
    s->bytes[s->len] = byte;
    s->token[s->len++] = token;
}

static void append_text(spelling *s, const char *text, int token)
{
    for (; *text; text++)
        append_byte(s, *text, token);
}

static void free_spelling(spelling *s)
{
    free(s->bytes);
    free(s->token);
    *s = (spelling){.len = 0};
}

/* Bytes of the space at `text`, as writers and tokenizers write it: U+2581, byte-level U+0120 and U+010A, no-break space, byte order
 * mark. 0: it is none. */
static size_t space_len(const char *text, size_t left)
{
    static const char *const marks[] = {"\xe2\x96\x81", "\xc4\xa0", "\xc4\x8a", "\xc2\xa0", "\xef\xbb\xbf"};
    if (isspace((unsigned char)*text))
        return 1;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t len = strlen(marks[i]);
        if (len <= left && memcmp(text, marks[i], len) == 0)
            return len;
    }
    return 0;
}

static void drop_space(spelling *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->len;) {
        const size_t space = space_len(s->bytes + i, s->len - i);
        if (space == 0) {
            s->bytes[kept] = s->bytes[i];
            s->token[kept++] = s->token[i++];
        }
        i += space;
    }
    s->len = kept;
}

static spelling spell_text(const char *text, size_t len)
{
    spelling s = {.len = 0};
    for (size_t i = 0; i < len; i++)
        append_byte(&s, text[i], 0);
    drop_space(&s);
    return s;
}

/* "<s>", "<|assistant|>", "</think>", "[/INST]": marks of the template, which are no part of what is said. */
static bool is_mark(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t len = strlen(text);
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    const bool angular = len > 2 && text[0] == '<' && text[len - 1] == '>';
    const bool square = len > 2 && text[0] == '[' && text[len - 1] == ']';
    return (angular || square) && strcspn(text, " \t\r\n") >= len;
}

static pov_status spell_list(spelling *s, const cJSON *list, const char *where, bool with_marks)
{
    char name[120], text[POV_VLM_TOKEN_CAPACITY];
    const cJSON *item;
    int i = 0;
    cJSON_ArrayForEach(item, list)
    {
        snprintf(name, sizeof name, "%s[%d]", where, i);
        POV_TRY(spell_token(text, item, name));
        if (with_marks || !is_mark(text))
            append_text(s, text, i);
        i++;
    }
    return pov_ok();
}

/* ---- alignment ---- */

typedef struct {
    const char *text; /* of the answer, after its thoughts */
    size_t text_len;
    const char *thoughts; /* given apart; "": none */
    bool has_thoughts;    /* known ones, there or in the text */
} said;

static bool is_same(const spelling *a, size_t from, const spelling *b, size_t len)
{
    return len == 0 || memcmp(a->bytes + from, b->bytes, len) == 0;
}

/* Whether thoughts are marked in what the tokens spell, with space. */
static bool marks_thoughts(const spelling *s)
{
    if (s->len == 0)
        return false;
    char *text = malloc(s->len + 1);
    POV_REQUIRE_MEMORY(text);
    memcpy(text, s->bytes, s->len);
    text[s->len] = '\0';
    size_t from, len;
    pov_answer_said(&from, &len, text);
    const bool marked = from > 0 || len < strlen(text);
    free(text);
    return marked;
}

/* The place in the spelling where the answer begins; -1: nowhere. The list may end before the answer does, if there are no thoughts that it
 * could be. */
static ptrdiff_t find_answer(const spelling *list, const spelling *answer, const spelling *thoughts,
                             bool may_end_early)
{
    if (thoughts->len > 0 && list->len == thoughts->len && is_same(list, 0, thoughts, list->len))
        return -1;
    if (answer->len > 0 && answer->len <= list->len &&
        is_same(list, list->len - answer->len, answer, answer->len))
        return (ptrdiff_t)(list->len - answer->len);
    return may_end_early && list->len > 0 && list->len < answer->len && is_same(list, 0, answer, list->len)
               ? 0
               : -1;
}

/* The token with which the answer begins, or -1. `shared`: it holds what was before the answer, too. */
static pov_status find_token(int *token, bool *shared, const cJSON *list, const char *where, const said *what,
                             bool with_marks)
{
    spelling spelled = {.len = 0}, answer = spell_text(what->text, what->text_len);
    spelling thoughts = spell_text(what->thoughts, strlen(what->thoughts));
    const pov_status status = spell_list(&spelled, list, where, with_marks);
    const bool may_end_early = !what->has_thoughts && !marks_thoughts(&spelled);
    drop_space(&spelled);
    const ptrdiff_t at =
        status.code == POV_OK ? find_answer(&spelled, &answer, &thoughts, may_end_early) : -1;
    *token = at >= 0 ? spelled.token[at] : -1;
    *shared = at > 0 && spelled.token[at - 1] == *token;
    free_spelling(&spelled);
    free_spelling(&answer);
    free_spelling(&thoughts);
    return status;
}

static pov_status visit_positions(const cJSON *list, const char *where, int first, pov_vlm_visit *visit,
                                  void *context)
{
    char name[120], text[POV_VLM_TOKEN_CAPACITY];
    pov_vlm_position position;
    const cJSON *item = cJSON_GetArrayItem(list, first);
    for (; item && spell_token(text, item, where).code == POV_OK && is_mark(text); first++)
        item = item->next; /* "<answer>" */
    bool goes_on = true;
    for (int i = first; item && goes_on; item = item->next, i++) {
        snprintf(name, sizeof name, "%s[%d]", where, i);
        POV_TRY(read_position(&position, item, name));
        goes_on = visit(context, &position);
    }
    return pov_ok();
}

static bool keep_position(void *context, const pov_vlm_position *position)
{
    pov_vlm_answer *answer = context;
    answer->positions[answer->position_len++] = *position;
    return answer->position_len < POV_VLM_POSITION_MAX;
}

pov_status pov_vlm_tokens_read(pov_vlm_answer *answer, const cJSON *list, const char *where,
                               const char *thoughts)
{
    return pov_vlm_tokens_visit(answer, list, where, thoughts, keep_position, answer);
}

pov_status pov_vlm_tokens_visit(pov_vlm_answer *answer, const cJSON *list, const char *where,
                                const char *thoughts, pov_vlm_visit *visit, void *context)
{
    size_t from, len;
    int token = -1;
    bool shared = false;
    if (cJSON_GetArraySize(list) == 0)
        return pov_ok();
    pov_answer_said(&from, &len, answer->text);
    const said what = {answer->text + from, len, thoughts,
                       from > 0 || from + len < strlen(answer->text) || *thoughts};
    POV_TRY(find_token(&token, &shared, list, where, &what, true));
    if (token < 0)
        POV_TRY(find_token(&token, &shared, list, where, &what, false));
    if (token >= 0 && !shared)
        return visit_positions(list, where, token, visit, context);
    snprintf(answer->tokens_cause, sizeof answer->tokens_cause, "%s",
             shared ? "the server's probabilities are of a token that holds the end of the thoughts and the "
                      "beginning of the answer"
                    : "the server's probabilities are not those of the answer's tokens (of its thoughts?)");
    return pov_ok();
}
