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
    if (http_status == 404)
        return " (are the URL and the model's name right?)";
    if (http_status == 413)
        return " (a smaller image may do)";
    if (http_status >= 300 && http_status < 400)
        return " (redirects are not followed: give the final URL)";
    return "";
}

/* The server's reason for a refusal, after ": ": from JSON, or the first line of plain text. */
static void quote_refusal(char said[300], pov_vlm_result *result, const pov_vlm_reply *reply)
{
    static const char says[] = "the server says";
    const bool is_plain = reply->content_type && strncasecmp(reply->content_type, "text/plain", 10) == 0;
    const pov_status read = pov_vlm_answer_read(&result->answer, reply->body, reply->body_len);
    pov_vlm_answer_free(&result->answer);
    said[0] = '\0';
    if (strncmp(read.message, says, sizeof says - 1) == 0) {
        snprintf(said, 300, ": %.280s", read.message);
    } else if (is_plain && reply->body_len > 0) {
        char line[200];
        const size_t len = reply->body_len < sizeof line - 1 ? reply->body_len : sizeof line - 1;
        memcpy(line, reply->body, len);
        line[len] = '\0';
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0])
            snprintf(said, 300, ": %s: %s", says, line);
    }
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
    if (reply->content_type && !strcasestr(reply->content_type, "json")) {
        fail_attempt(result, POV_VLM_MALFORMED, "the response's content type is '%.80s', not JSON",
                     reply->content_type);
        return;
    }
    pov_status status = pov_vlm_answer_read(&result->answer, reply->body, reply->body_len);
    if (status.code != POV_OK) {
        fail_attempt(result, POV_VLM_MALFORMED, "%s", status.message);
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
            (status == 408 || status == 425 || status == 429 || status >= 500));
}
