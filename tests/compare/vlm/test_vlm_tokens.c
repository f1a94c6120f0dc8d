/* The oracle is a table of lists of tokens as servers send them, each labelled by hand with the token that is the answer's first word.
 * "Yes" is generated with P 0.8 (No 0.15), "No" with P 0.9 (Yes 0.05): which was read shows in P(yes). */
#include "compare/vlm/vlm_tokens.h"
#include "compare/vlm/yes_no.h"

#include <cJSON.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define SP "\xe2\x96\x81"
#define GD "\xc4\xa0"
#define DS "<\xef\xbd\x9c"
#define SD "\xef\xbd\x9c>"

static const double READ_YES = 0.8 / 0.95, READ_NO = 0.05 / 0.95;

/* ---- bodies ---- */

typedef enum { BY_TOKEN, BY_BYTES, ONE_ONLY } listing; /* ONE_ONLY: top_logprobs is empty */

static cJSON *make_token(const char *text, double p, listing how)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "token", how == BY_BYTES ? "token_id:9642" : text);
    cJSON_AddNumberToObject(item, "logprob", log(p));
    cJSON *bytes = cJSON_AddArrayToObject(item, "bytes");
    for (const char *c = text; how == BY_BYTES && *c; c++)
        cJSON_AddItemToArray(bytes, cJSON_CreateNumber((unsigned char)*c));
    return item;
}

static void add_token(cJSON *list, const char *text, listing how)
{
    const bool yes = strstr(text, "Yes"), no = strstr(text, "No");
    const double p = yes ? 0.8 : no ? 0.9 : 0.99;
    cJSON *item = make_token(text, p, how), *likely = cJSON_AddArrayToObject(item, "top_logprobs");
    cJSON_AddItemToArray(list, item);
    if (how == ONE_ONLY)
        return;
    cJSON_AddItemToArray(likely, make_token(text, p, how));
    if (yes || no)
        cJSON_AddItemToArray(likely, make_token(yes ? "No" : "Yes", yes ? 0.15 : 0.05, how));
}

/* `tokens` are separated by '~'. */
static char *make_body(const char *content, const char *tokens, const char *key, const char *thoughts,
                       listing how)
{
    cJSON *root = cJSON_CreateObject(), *choice = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "choices"), choice);
    cJSON *message = cJSON_AddObjectToObject(choice, "message");
    cJSON_AddStringToObject(message, "content", content);
    if (key)
        cJSON_AddStringToObject(message, key, thoughts);
    cJSON *list = cJSON_AddArrayToObject(cJSON_AddObjectToObject(choice, "logprobs"), "content");
    char *copy = strdup(tokens), *rest = copy;
    for (char *part; (part = strsep(&rest, "~"));)
        add_token(list, part, how);
    free(copy);
    cJSON_AddStringToObject(choice, "finish_reason", "stop");
    char *body = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return body;
}

static pov_yes_no score(const char *body)
{
    static pov_vlm_answer answer;
    pov_yes_no result;
    const pov_status status = pov_vlm_answer_read(&answer, body, strlen(body));
    assert_string_equal(status.message, "");
    pov_yes_no_read(&result, &answer, &POV_YES_NO_RULE_ENGLISH);
    pov_vlm_answer_free(&answer);
    return result;
}

/* ---- tests ---- */

typedef enum { PROBABILITY_YES, PROBABILITY_NO, WORDS_YES, WORDS_NO, NO_ANSWER } reading;

static const struct {
    const char *content, *tokens, *key, *thoughts;
    reading wanted;
} cases[] = {
    {"Yes", "Yes", NULL, NULL, PROBABILITY_YES},
    {"Yes", "No~ way~</think>~Yes", "reasoning_content", "No way", PROBABILITY_YES},
    {"Yes", "No~ way~</think>~Yes", "reasoning", "No way", PROBABILITY_YES},
    {"No", "Yes~, I~ think~</think>~\n\n~No~.", "reasoning", "Yes, I think", WORDS_NO},
    {"No.", "Yes~, I~ think~</think>~\n\n~No~.", "reasoning", "Yes, I think", PROBABILITY_NO},
    {"Yes", "<think>~No~</think>~\n\n~Yes~<|im_end|>", NULL, NULL, PROBABILITY_YES},
    {"<think>No</think>\n\nYes", "<think>~No~</think>~\n\n~Yes", NULL, NULL, PROBABILITY_YES},
    {"No</think>Yes", "No~</think>~Yes", NULL, NULL, PROBABILITY_YES},
    {"[THINK]No[/THINK]Yes", "[THINK]~No~[/THINK]~Yes~</s>", NULL, NULL, PROBABILITY_YES},
    {"Yes",
     "<|channel|>~analysis~<|message|>~No~<|end|>~<|start|>~assistant~<|channel|>~final~<|message|>~Yes~<|"
     "return|>",
     "reasoning", "No", PROBABILITY_YES},
    {"<|channel|>analysis<|message|>No<|end|><|start|>assistant<|channel|>final<|message|>Yes",
     "<|channel|>~analysis~<|message|>~No~<|end|>~<|start|>~assistant~<|channel|>~final~<|message|>~Yes",
     NULL, NULL, PROBABILITY_YES},
    {"Yes", "<s>~<|assistant|>~Yes~</s>", NULL, NULL, PROBABILITY_YES},
    {"Yes", DS "Assistant" SD "~Yes~" DS "end" SP "of" SP "sentence" SD, NULL, NULL, PROBABILITY_YES},
    {" Yes", " ~Yes", NULL, NULL, PROBABILITY_YES},
    {"\xef\xbb\xbfYes", "Yes", NULL, NULL, PROBABILITY_YES},
    {"Yes", SP "Yes", NULL, NULL, PROBABILITY_YES},
    {"Yes", GD "Yes", NULL, NULL, PROBABILITY_YES},
    {"Yes, it is.", GD "Yes~,~" GD "it~" GD "is~.", NULL, NULL, PROBABILITY_YES},
    {"Yes, it is.", "Yes~,", NULL, NULL, PROBABILITY_YES}, /* only the first tokens are listed */
    {"**Yes**", "No~</think>~**~Yes~**", NULL, NULL, PROBABILITY_YES},
    {"<b>Yes</b>", "<b>~Yes~</b>", NULL, NULL, PROBABILITY_YES},
    {"Yes", "No~</think>Yes", NULL, NULL, WORDS_YES},                    /* one token spans both */
    {"Yes", "No~ way", "reasoning_content", "No way", WORDS_YES},        /* thoughts only */
    {"Yes", "No~... ~Yes", "reasoning_content", "No... Yes", WORDS_YES}, /* so, though they end alike */
    {"Yes, it is.", "Yes", "reasoning", "Yes", WORDS_YES},
    {"Yes", "No~ way", NULL, NULL, WORDS_YES},
    {"<think>No way", "<think>~No~ way", NULL, NULL, NO_ANSWER},
};

static void the_first_word_of_the_answer_is_scored_and_never_a_thought(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (listing how = BY_TOKEN; how <= BY_BYTES; how++) {
            char *body = make_body(cases[i].content, cases[i].tokens, cases[i].key, cases[i].thoughts, how);
            const pov_yes_no r = score(body);
            const bool from_tokens = cases[i].wanted == PROBABILITY_YES || cases[i].wanted == PROBABILITY_NO;
            const bool yes = cases[i].wanted == PROBABILITY_YES || cases[i].wanted == WORDS_YES;
            const pov_yes_no_kind kind = from_tokens                    ? POV_YES_NO_TOKENS
                                         : cases[i].wanted == NO_ANSWER ? POV_YES_NO_MISSING
                                                                        : POV_YES_NO_TEXT;
            const double p = from_tokens ? (yes ? READ_YES : READ_NO) : yes;
            if (r.kind != kind || (kind != POV_YES_NO_MISSING && !(fabs(r.p - p) < 1e-9)))
                fail_msg("%s: %s, p %g: %s", body, pov_yes_no_kind_name(r.kind), r.p, r.cause);
            assert_int_equal(r.cause[0] == '\0', from_tokens); /* words are not scored without a word */
            free(body);
        }
}

static void without_other_likely_tokens_the_words_decide(void **state)
{
    (void)state;
    char *body = make_body("Yes", "Yes", NULL, NULL, ONE_ONLY);
    const pov_yes_no r = score(body);
    assert_int_equal(r.kind, POV_YES_NO_TEXT);
    assert_true(r.p == 1 && isnan(r.mass));
    assert_non_null(strstr(r.cause, "no other tokens"));
    free(body);
}

static void bytes_join_to_characters(void **state)
{
    (void)state;
    static const char json[] =
        "{\"choices\":[{\"message\":{\"content\":\"S\\u00ed\"},\"logprobs\":{\"content\":["
        "{\"token\":\"S\",\"logprob\":0,\"top_logprobs\":[{\"token\":\"S\",\"logprob\":0}]},"
        "{\"token\":\"\\\\xc3\",\"bytes\":[195],\"logprob\":0,\"top_logprobs\":[]},"
        "{\"token\":\"<0xAD>\",\"logprob\":0,\"top_logprobs\":[]}]}}]}";
    static const char *const yes[] = {"s\xc3\xad", NULL}, *const no[] = {"no", NULL};
    const pov_yes_no_words words = {yes, no};
    static pov_vlm_answer answer;
    pov_yes_no result;
    assert_int_equal(pov_vlm_answer_read(&answer, json, sizeof json - 1).code, POV_OK);
    assert_int_equal(answer.position_len, 3);
    pov_yes_no_read(&result, &answer, &(pov_yes_no_rule){&words, &words, 0.5});
    assert_int_equal(result.kind, POV_YES_NO_TOKENS);
    assert_true(result.p == 1);
    pov_vlm_answer_free(&answer);
}

/* A thought of 100 000 tokens before the answer is passed over. */
static void thoughts_may_be_long(void **state)
{
    (void)state;
    enum { TOKENS = 100000 };
    char *tokens = malloc(4 * TOKENS + 40), *end = tokens;
    for (int i = 0; i < TOKENS; i++)
        end += sprintf(end, "No~");
    sprintf(end, "</think>~Yes");
    char *body = make_body("Yes", tokens, NULL, NULL, BY_TOKEN);
    assert_near(score(body).p, READ_YES, 1e-9);
    free(body);
    free(tokens);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_word_of_the_answer_is_scored_and_never_a_thought),
        cmocka_unit_test(without_other_likely_tokens_the_words_decide),
        cmocka_unit_test(bytes_join_to_characters),
        cmocka_unit_test(thoughts_may_be_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
