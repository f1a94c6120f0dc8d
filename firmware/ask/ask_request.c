#include "firmware/ask/ask_request.h"

#include "config/files/json_value.h"
#include "config/files/utf8.h"

#include <cJSON.h>
#include <string.h>

static pov_status copy_text(char *out, size_t capacity, const char *key, const char *text)
{
    if (strlen(text) >= capacity)
        return pov_error("\"%s\" is too long: over %zu bytes", key, capacity - 1);
    if (!pov_utf8_is_plain(text))
        return pov_error("\"%s\" is not UTF-8, or has control characters", key);
    strcpy(out, text);
    return pov_ok();
}

static pov_status read_object(pov_ask_request *request, const cJSON *object)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, object)
    {
        const char *text = cJSON_GetStringValue(item);
        if (strcmp(item->string, "utterance") == 0 && text)
            POV_TRY(copy_text(request->utterance, sizeof request->utterance, item->string, text));
        else if (strcmp(item->string, "speaker") == 0 && (text || cJSON_IsNull(item)))
            POV_TRY(copy_text(request->speaker, sizeof request->speaker, item->string, text ? text : ""));
        else if (strcmp(item->string, "session") == 0 && (text || cJSON_IsNull(item)))
            POV_TRY(copy_text(request->session, sizeof request->session, item->string, text ? text : ""));
        else if (strcmp(item->string, "forget") == 0 && cJSON_IsBool(item))
            request->forget = cJSON_IsTrue(item);
        else
            return pov_error(
                "a request has \"utterance\", \"speaker\" and \"session\" (texts) and \"forget\" "
                "(true or false), and no \"%.40s\"",
                pov_utf8_is_plain(item->string) ? item->string : "?");
    }
    return cJSON_HasObjectItem(object, "utterance") ? pov_ok()
                                                    : pov_error("the request has no \"utterance\"");
}

pov_status pov_ask_request_read(pov_ask_request *request, const char *text, size_t length)
{
    *request = (pov_ask_request){.forget = false};
    if (memchr(text, '\0', length))
        return pov_error("the request has a zero byte");
    if (text[strspn(text, " \t\r\n")] != '{')
        return copy_text(request->utterance, sizeof request->utterance, "utterance", text);
    cJSON *object = pov_json_parse(text, length);
    if (!object)
        return pov_error("the request begins with { and is no JSON object");
    pov_status status = read_object(request, object);
    cJSON_Delete(object);
    return status;
}
