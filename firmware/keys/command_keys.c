#include "config/files/json_value.h"
#include "firmware/commands.h"
#include "firmware/keys/door.h"
#include "protocol/links/keys.h"

#include <cJSON.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *folder, *name;
    bool json;
} key_options;

static int make_keys(int argc, char **argv);
static int show_keys(int argc, char **argv);
static int allow_peer(int argc, char **argv);
static int remove_peer(int argc, char **argv);

#define FOLDER_OPTION                                                                                        \
    POV_PATH(key_options, folder, "keys", "DIR", "the folder of keys, instead of ~/.config/pov/keys")

static const pov_option folder_options[] = {FOLDER_OPTION, POV_OPTIONS_END};
static const pov_option show_options[] = {
    FOLDER_OPTION,
    POV_FLAG(key_options, json, "json", "one JSON object instead of text"),
    POV_OPTIONS_END,
};
static const pov_option allow_options[] = {
    FOLDER_OPTION,
    POV_TEXT(key_options, name, "name", "NAME", "how to call the peer here, if not as it calls itself"),
    POV_OPTIONS_END,
};

static const pov_command new_command = {
    .name = "keys new",
    .summary = "make this machine's keys",
    .run = make_keys,
    .usage = "[NAME] [--keys DIR]",
    .about = "Makes this machine's pair of keys: self.key, a copy of which goes to every peer, and "
             "self.key_secret, which stays.",
    .options = folder_options,
    .words = {.max = 1, .wanted = "name this machine by one word: pov keys new robot"},
    .notes = "Without NAME the machine is called by its host name.",
    .examples = "pov keys new\npov keys new robot --keys /etc/pov/keys",
    .exits = "0 made; 1 there is a key already, or the folder cannot be written",
};
static const pov_command show_command = {
    .name = "keys show",
    .summary = "this machine's public key, and its peers",
    .run = show_keys,
    .usage = "[--keys DIR] [--json]",
    .about = "Prints this machine's public key, the file to copy to peers, and the peers whose keys are "
             "allowed here. No secret.",
    .options = show_options,
    .words = {.wanted = "it takes no words"},
    .examples = "pov keys show",
    .exits = "0 shown; 1 there is no key",
};
static const pov_command allow_command = {
    .name = "keys allow",
    .summary = "let a peer connect",
    .run = allow_peer,
    .usage = "FILE [--name NAME] [--keys DIR]",
    .about = "Allows a peer: FILE is a copy of its self.key. From now on it may connect here, also to a "
             "station that is running, "
             "and this machine knows it by its name as a server.",
    .options = allow_options,
    .words = {.min = 1, .max = 1, .wanted = "expected one file with a public key: pov keys allow laptop.key"},
    .examples = "pov keys allow laptop.key\npov keys allow self.key --name laptop",
    .exits = "0 allowed; 1 the file is not a key, or a peer of that name has another key",
};
static const pov_command remove_command = {
    .name = "keys remove",
    .summary = "stop a peer from connecting",
    .run = remove_peer,
    .usage = "NAME [--keys DIR]",
    .about = "Removes a peer's key. A running station cuts the peer off.",
    .options = folder_options,
    .words = {.min = 1, .max = 1, .wanted = "expected one peer's name; 'pov keys show' lists them"},
    .examples = "pov keys remove laptop",
    .exits = "0 removed; 1 no such peer",
};

static const pov_command *const parts[] = {&new_command, &show_command, &allow_command, &remove_command,
                                           NULL};

const pov_command pov_command_keys = {
    .name = "keys",
    .summary = "who may connect: keys of this machine and of its peers",
    .usage = "new|show|allow|remove ...",
    .about = "Keys of this machine and of the peers that may connect to it (docs/SECURITY.md). A station "
             "that other machines can "
             "reach uses them.",
    .parts = parts,
    .examples = "pov keys new robot\npov keys allow laptop.key\npov keys show\npov keys remove laptop",
    .exits = "0 done; 1 a file cannot be read or written",
};

/* Reads the command line and the folder of keys. POV_GO_ON, or the exit code. */
static int begin_command(char folder[POV_PATH_CAPACITY], key_options *options, pov_words *words,
                         const pov_command *command, int argc, char **argv)
{
    POV_OR_EXIT(pov_command_read(options, words, command, argc, argv));
    if (!options->folder) {
        pov_status status = pov_keys_folder(folder, POV_PATH_CAPACITY);
        return status.code == POV_OK ? POV_GO_ON : pov_cli_fail(status);
    }
    if (strlen(options->folder) >= POV_PATH_CAPACITY)
        return pov_cli_fail(pov_error("%s: the path is too long", options->folder));
    strcpy(folder, options->folder);
    return POV_GO_ON;
}

static int make_keys(int argc, char **argv)
{
    char folder[POV_PATH_CAPACITY], host[HOST_NAME_MAX + 1] = "";
    key_options options = {.folder = NULL};
    pov_words words;
    POV_OR_EXIT(begin_command(folder, &options, &words, &new_command, argc, argv));
    gethostname(host, HOST_NAME_MAX);
    pov_key made;
    pov_status status = pov_key_make(&made, folder, words.len ? words.word[0] : host);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s/self.key: copy it to each peer and run there: pov keys allow self.key\n"
           "%s/self.key_secret: stays here, readable by this user alone\n",
           folder, folder);
    explicit_bzero(&made, sizeof made);
    return POV_EXIT_OK;
}

static void print_keys(const char *folder, const pov_key *own, const pov_peers *peers)
{
    printf("%s  %s  (%s/self.key)\n", own->name, own->public_key, folder);
    printf(peers->len ? "peers allowed:\n"
                      : "no peer is allowed; 'pov keys allow FILE' takes its self.key\n");
    for (int i = 0; i < peers->len; i++)
        printf("  %-20s %s\n", peers->peers[i].name, peers->peers[i].public_key);
}

static void print_keys_json(const char *folder, const pov_key *own, const pov_peers *peers)
{
    cJSON *object = cJSON_CreateObject(), *list = cJSON_CreateArray();
    pov_json_add_text(object, "folder", folder);
    pov_json_add_text(object, "name", own->name);
    pov_json_add_text(object, "public_key", own->public_key);
    for (int i = 0; i < peers->len; i++) {
        cJSON *peer = cJSON_CreateObject();
        pov_json_add_text(peer, "name", peers->peers[i].name);
        pov_json_add_text(peer, "public_key", peers->peers[i].public_key);
        cJSON_AddItemToArray(list, peer);
    }
    cJSON_AddItemToObject(object, "peers", list);
    pov_json_print_line(stdout, object);
}

static int show_keys(int argc, char **argv)
{
    char folder[POV_PATH_CAPACITY];
    key_options options = {.folder = NULL};
    pov_words words;
    POV_OR_EXIT(begin_command(folder, &options, &words, &show_command, argc, argv));
    pov_peers *peers = malloc(sizeof *peers);
    POV_REQUIRE_MEMORY(peers);
    pov_key own;
    pov_status status = pov_key_read_own(&own, folder);
    explicit_bzero(own.secret_key, sizeof own.secret_key);
    POV_THEN(status, pov_peers_read(peers, folder));
    if (status.code == POV_OK)
        (options.json ? print_keys_json : print_keys)(folder, &own, peers);
    if (status.code == POV_OK && peers->skipped > 0)
        pov_cli_warn("skipped keys of peers: %s", peers->trouble);
    free(peers);
    return pov_cli_exit(status);
}

static pov_status allow_file(pov_key *peer, const char *folder, const char *file, const char *name)
{
    POV_TRY(pov_key_read(peer, file));
    const bool secret = peer->secret_key[0] != '\0';
    explicit_bzero(peer->secret_key, sizeof peer->secret_key);
    if (secret)
        return pov_error("%s: holds a secret key; a secret key stays on its machine, copy self.key instead",
                         file);
    if (name)
        snprintf(peer->name, sizeof peer->name, "%s", name);
    if (!peer->name[0])
        return pov_error("%s: does not say whose it is; name the peer by --name NAME", file);
    return pov_peer_allow(peer, folder);
}

static int allow_peer(int argc, char **argv)
{
    char folder[POV_PATH_CAPACITY];
    key_options options = {.folder = NULL};
    pov_words words;
    POV_OR_EXIT(begin_command(folder, &options, &words, &allow_command, argc, argv));
    pov_key peer;
    pov_status status = allow_file(&peer, folder, words.word[0], options.name);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s may connect\n", peer.name);
    return POV_EXIT_OK;
}

static int remove_peer(int argc, char **argv)
{
    char folder[POV_PATH_CAPACITY];
    key_options options = {.folder = NULL};
    pov_words words;
    POV_OR_EXIT(begin_command(folder, &options, &words, &remove_command, argc, argv));
    pov_status status = pov_peer_remove(folder, words.word[0]);
    if (status.code != POV_OK)
        return pov_cli_fail(status);
    printf("%s may not connect any more\n", words.word[0]);
    return POV_EXIT_OK;
}
