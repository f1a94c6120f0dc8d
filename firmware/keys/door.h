/** Decides who may connect to a socket of this program (docs/SECURITY.md): off this machine, peers with an allowed key, unless the user
 *  says in plain words that anyone may. */
#pragma once

#include "config/files/write_file.h"
#include "protocol/links/requester.h"
#include "protocol/links/subscriber.h"

typedef struct {
    const char *endpoint;
    const char *keys; /* folder of keys that the user named; "": none */
    bool insecure;    /* the user said so */
} pov_door_config;

typedef struct {
    char keys[POV_PATH_CAPACITY]; /* "": without keys */
    char who[160];                /* "3 peers whose keys are allowed in /etc/pov/keys" */
} pov_door;

/** $XDG_CONFIG_HOME/pov/keys, or ~/.config/pov/keys. Errors: neither variable is set. */
POV_MUST_USE pov_status pov_keys_folder(char *folder, size_t capacity);

/** Decides who may connect: to ipc:// and to addresses of this machine only, its programs; elsewhere, peers with keys.
 *  Errors: other machines could reach it, and there are neither keys nor `insecure`. */
POV_MUST_USE pov_status pov_door_choose(pov_door *door, const pov_door_config *config);

/** Options of a command that connects to a station: --server and --keys. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a member's name cannot be in parentheses */
typedef struct {
    const char *server, *keys;
} pov_door_client;
#define POV_DOOR_CLIENT_OPTIONS(TYPE, MEMBER)                                                                \
    POV_TEXT(TYPE, MEMBER.server, "server", "NAME",                                                          \
             "its name among the peers ('pov keys show'): connect with keys"),                               \
        POV_PATH(TYPE, MEMBER.keys, "keys", "DIR",                                                           \
                 "this machine's keys and its peers', instead of ~/.config/pov/keys")
/* NOLINTEND(bugprone-macro-parentheses) */

/** Connects to a station's publisher, with keys if either option was given. */
POV_MUST_USE pov_status pov_door_subscribe(pov_subscriber **subscriber, const pov_door_client *client,
                                           const char *endpoint, const char *topic);
/** The same of a station's endpoint for questions. */
POV_MUST_USE pov_status pov_door_request(pov_requester **requester, const pov_door_client *client,
                                         const char *endpoint);
