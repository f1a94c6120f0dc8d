/** The endpoint `ask:` of a running station: people and robots ask, a thread of its own answers from the newest image. */
#pragma once

#include "perception/observation/observation.h"
#include "perception/status.h"
#include "protocol/links/keys.h"

typedef struct pov_ask_server pov_ask_server;

typedef struct {
    const char *endpoint; /* tcp://127.0.0.1:5571; NULL: only pov_ask_server_ask asks */
    double stale_after_s; /* an image older than that is not acted on; 0: ever */
    const char
        *keys; /* a folder of keys: only peers with an allowed key may ask; NULL: anyone who can connect */
} pov_ask_server_config;

/** Binds, and starts the thread. POV_ERROR: the endpoint is malformed, in use; the keys cannot be read. */
POV_MUST_USE pov_status pov_ask_server_new(pov_ask_server **server, const pov_ask_server_config *config);
void pov_ask_server_destroy(pov_ask_server **server);
/** Ends the thread; who waits for an answer gets none. Then destroy. */
void pov_ask_server_stop(pov_ask_server *server);
/** The endpoint as bound (with the port chosen for "*"). Not without one. */
const char *pov_ask_server_endpoint(const pov_ask_server *server);

/** Takes over the scene and the sights of an image: copies, and never waits for an answer that is being made. */
void pov_ask_server_show(pov_ask_server *server, const pov_observation *observation);

/** The oldest exchange that nobody has taken: "" for a speaker who was not named, and the reply as a line of JSON, which the caller frees.
 *  False: there is none. The server keeps the newest 64. */
bool pov_ask_server_take(pov_ask_server *server, char speaker[POV_NAME_CAPACITY], char **reply);

/** What has become wrong with the peers' keys since the last call, a text that names files. False: nothing. */
bool pov_ask_server_news(pov_ask_server *server, char news[POV_PEER_TROUBLE_CAPACITY]);

/** For a server without an endpoint: puts a request (ask_request.h), waits, and returns the reply, a line of JSON, which the caller frees.
 *  Any thread; one after the other. peer: whose dialogue it is. What is malformed is refused by a reply, too. POV_ERROR: the server ends. */
POV_MUST_USE pov_status pov_ask_server_ask(pov_ask_server *server, char **reply, const char *peer,
                                           const char *request);
