/** A request to the endpoint `ask:`: {"utterance", "speaker", "forget", "session"}, or the utterance alone as text. */
#pragma once

#include "ask/meaning/request.h"

typedef struct {
    char utterance[POV_REQUEST_CAPACITY];
    char speaker[POV_NAME_CAPACITY]; /* id of who speaks; "": the scene's only addressee */
    char session[POV_NAME_CAPACITY]; /* whose dialogue it is, over any connection; "": the peer's */
    bool forget;                     /* a new dialogue begins with this utterance */
} pov_ask_request;

/** Reads untrusted bytes. POV_ERROR says what is wrong in a sentence. */
POV_MUST_USE pov_status pov_ask_request_read(pov_ask_request *request, const char *text, size_t length);
