#include "compare/vlm/vlm_result.h"

#include "compare/answers/answer_parse.h"
#include "config/files/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

POV_ENUM_NAMES(pov_vlm_outcome_name, pov_vlm_outcome, POV_VLM_OUTCOME_COUNT, "answered", "unreachable",
               "too_slow", "too_large", "rejected", "malformed")

static void fail_attempt(pov_vlm_result *result, pov_vlm_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fail_attempt(pov_vlm_result *result, pov_vlm_outcome outcome, const char *format, ...)
{
    va_list arguments;
    char text[sizeof result->cause]; /* with a server's bytes, perhaps cut within a character */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pov_utf8_copy(result->cause, sizeof result->cause, text);
    result->outcome = outcome;
}

static const char *advice_for(int http_status)
{
    if (http_status == 401 || http_status == 403)
        return " (is the API key right?)";
    if (http_status == 402)
        return " (the server wants money: is there credit left?)";
    if (http_status == 404)
        return " (are the URL and the model's name right?)";
    if (http_status == 413)
        return " (a smaller image may do)";
    if (http_status >= 300 && http_status < 400)
        return " (redirects are not followed: give the final URL)";
    return "";
}

/* The first line of plain text, or the title of a page. */
static void quote_text(char line[200], const pov_vlm_reply *reply)
{
    static const char opening[] = "<title>";
    const char *title = strcasestr(reply->body, opening);
    const char *text = title ? title + sizeof opening - 1 : reply->body;
    snprintf(line, 200, "%.*s", (int)strcspn(text, title ? "<\r\n" : "\r\n"), text);
}

/* The server's reason for a refusal, after ": ". */
static void quote_refusal(char said[300], pov_vlm_result *result, const pov_vlm_reply *reply)
{
    const char *type = reply->content_type ? reply->content_type : "";
    const bool is_text = strncasecmp(type, "text/plain", 10) == 0 ||
                         (strncasecmp(type, "text/html", 9) == 0 && strcasestr(reply->body, "<title>"));
    const pov_status read = pov_vlm_answer_read(&result->answer, reply->body, reply->body_len);
    const bool is_error = result->answer.is_error;
    char line[200] = "";
    pov_vlm_answer_free(&result->answer);
    if (!is_error && is_text)
        quote_text(line, reply);
    snprintf(said, 300, "%s%s%.280s",
             is_error  ? ": "
             : line[0] ? ": the server says: "
                       : "",
             is_error ? "" : line, is_error ? read.message : "");
}

static void explain_status(pov_vlm_result *result, const pov_vlm_reply *reply)
{
    char said[300];
    quote_refusal(said, result, reply);
    const bool is_lost = reply->http_status == 404; /* then the URL matters */
    fail_attempt(result, POV_VLM_REJECTED, "%.200s%sHTTP status %d%s%s", is_lost ? reply->url : "",
                 is_lost ? ": " : "", reply->http_status, advice_for(reply->http_status), said);
}

static void read_answer(pov_vlm_result *result, const pov_vlm_reply *reply)
{
    if (reply->content_type && !strcasestr(reply->content_type, "json") &&
        !strcasestr(reply->content_type, "event-stream")) {
        fail_attempt(result, POV_VLM_MALFORMED, "the response's content type is '%.80s', not JSON",
                     reply->content_type);
        return;
    }
    pov_status status = pov_vlm_answer_read(&result->answer, reply->body, reply->body_len);
    if (status.code != POV_OK && result->answer.is_error) {
        if (result->answer.error_code)
            result->http_status = result->answer.error_code;
        fail_attempt(result, POV_VLM_REJECTED, "HTTP status 200, but an error in it: %s", status.message);
    } else if (status.code != POV_OK) {
        fail_attempt(result, result->answer.is_broken_off ? POV_VLM_UNREACHABLE : POV_VLM_MALFORMED, "%s",
                     status.message);
    } else if (strlen(result->answer.text) > POV_ANSWER_BYTES_MAX) {
        fail_attempt(result, POV_VLM_TOO_LARGE, "the answer is longer than 1 MiB: %zu bytes",
                     strlen(result->answer.text));
        free((char *)result->answer.text);
        result->answer.text = NULL; /* its tokens count */
    }
}

void pov_vlm_result_judge(pov_vlm_result *result, const pov_vlm_reply *reply)
{
    result->outcome = POV_VLM_ANSWERED;
    result->cause[0] = '\0';
    result->http_status = reply->http_status;
    result->body = reply->body;
    result->body_len = reply->body_len;
    if (reply->too_large)
        fail_attempt(result, POV_VLM_TOO_LARGE, "%s: the response is larger than what is taken in",
                     reply->url);
    else if (reply->timed_out)
        fail_attempt(result, POV_VLM_TOO_SLOW, "%s: no whole answer within the time limit", reply->url);
    else if (reply->transport_error)
        fail_attempt(result, POV_VLM_UNREACHABLE, "%s: %s", reply->url, reply->transport_error);
    else if (reply->http_status != 200)
        explain_status(result, reply);
    else
        read_answer(result, reply);
}

bool pov_vlm_result_is_overload(const pov_vlm_result *result)
{
    const int status = result->http_status;
    return result->outcome == POV_VLM_TOO_SLOW ||
           (result->outcome == POV_VLM_REJECTED &&
            (status == 429 || status == 503 || status == 504 || status == 529));
}

bool pov_vlm_result_may_pass(const pov_vlm_result *result)
{
    const int status = result->http_status;
    return result->outcome == POV_VLM_UNREACHABLE || result->outcome == POV_VLM_TOO_SLOW ||
           (result->outcome == POV_VLM_REJECTED &&
            (status == 200 || status == 408 || status == 425 || status == 429 || status >= 500));
}

/* As OpenAI and DeepSeek name it, and Anthropic says it. "Exceeded your quota" alone is Google's word for too many in a minute. */
static bool says_spent(const char *body)
{
    static const char *const words[] = {"insufficient_quota",   "billing_hard_limit_reached",
                                        "billing_not_active",   "insufficient balance",
                                        "insufficient_balance", "credit balance is too low"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasestr(body, words[i]))
            return true;
    return false;
}

bool pov_vlm_result_closes(const pov_vlm_result *result)
{
    const int status = result->http_status;
    return result->outcome == POV_VLM_REJECTED &&
           (status == 401 || status == 402 || status == 404 ||
            result->retry_after_ns > POV_VLM_RETRY_AFTER_MAX_NS || says_spent(result->body));
}
