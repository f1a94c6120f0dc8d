#include "protocol/links/keys.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum { FILE_BYTES_MAX = 4096 };

#define KEY_SUFFIX ".key"

typedef char path_text[POV_PATH_CAPACITY];

/* -------- one file -------- */

static bool is_name(const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || length >= POV_PEER_NAME_CAPACITY || name[0] == '.')
        return false;
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            return false;
    return true;
}

static bool is_key(const char *text)
{
    uint8_t bytes[32];
    return strlen(text) == POV_KEY_CAPACITY - 1 && zmq_z85_decode(bytes, text) != NULL;
}

/* The value of a line `NAME = "value"`; false if no line has that name, or the value does not fit. */
static bool find_value(char *value, size_t capacity, const char *text, const char *name)
{
    const size_t name_length = strlen(name);
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, name, name_length) != 0)
            continue;
        at += name_length;
        at += strspn(at, " \t");
        if (*at != '=')
            continue;
        at += 1 + strspn(at + 1, " \t\"'");
        const size_t length = strcspn(at, "\"'\r\n");
        if (length >= capacity)
            return false;
        memcpy(value, at, length);
        value[length] = '\0';
        return true;
    }
    return false;
}

pov_status pov_key_parse(pov_key *key, const char *path, const char *text)
{
    *key = (pov_key){.name = ""};
    if (!find_value(key->public_key, sizeof key->public_key, text, "public-key") || !is_key(key->public_key))
        return pov_error(
            "%s: no line of it is public-key = \"40 characters\"; 'pov keys new' makes such a file", path);
    if (find_value(key->secret_key, sizeof key->secret_key, text, "secret-key") && !is_key(key->secret_key))
        return pov_error("%s: its secret-key is not 40 characters of Z85", path);
    if (find_value(key->name, sizeof key->name, text, "name") && !is_name(key->name))
        return pov_error("%s: its name '%s' has other characters than letters, digits, '-', '_' and '.'",
                         path, key->name);
    return pov_ok();
}

pov_status pov_key_read(pov_key *key, const char *path)
{
    pov_bytes bytes = {0};
    *key = (pov_key){.name = ""};
    pov_status status = pov_read_file(&bytes, path, FILE_BYTES_MAX, "a key");
    if (status.code == POV_OK)
        status = pov_key_parse(key, path, (const char *)bytes.data);
    if (bytes.data)
        explicit_bzero(bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return status;
}

static pov_status join_path(path_text path, const char *folder, const char *file, const char *suffix)
{
    const int length = snprintf(path, sizeof(path_text), "%s/%s%s", folder, file, suffix);
    return length < (int)sizeof(path_text) ? pov_ok() : pov_error("%s: the path is too long", folder);
}

static pov_status write_key(const char *path, const pov_key *key, bool secret)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    if (secret && fchmod(fileno(file.stream), 0600) != 0)
        return pov_write_file_end(&file,
                                  pov_error("%s: cannot be kept from others: %s", path, strerror(errno)));
    fprintf(file.stream, "#   pov: a ZeroMQ CURVE %s key\n", secret ? "secret" : "public");
    fprintf(file.stream, "metadata\n    name = \"%s\"\ncurve\n    public-key = \"%s\"\n", key->name,
            key->public_key);
    if (secret)
        fprintf(file.stream, "    secret-key = \"%s\"\n", key->secret_key);
    return pov_write_file_end(&file, pov_ok());
}

/* -------- this machine's pair -------- */

pov_status pov_key_folder_make(const char *folder)
{
    path_text path;
    POV_TRY(join_path(path, folder, "", ""));
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return pov_error("%s: cannot be made: %s", path, strerror(errno));
        *slash = '/';
    }
    return pov_ok();
}

pov_status pov_key_make(pov_key *made, const char *folder, const char *name)
{
    path_text public_path, secret_path;
    *made = (pov_key){.name = ""};
    POV_TRY(join_path(public_path, folder, "self", KEY_SUFFIX));
    POV_TRY(join_path(secret_path, folder, "self", KEY_SUFFIX "_secret"));
    if (!is_name(name))
        return pov_error("'%s' is not a name for a machine; use letters, digits, '-', '_' and '.'", name);
    if (access(secret_path, F_OK) == 0)
        return pov_error(
            "%s: this machine has a key already; remove the file first if a new one is meant: peers "
            "will then have to allow the new one",
            secret_path);
    POV_TRY(pov_key_folder_make(folder));
    pov_key key = {.name = ""};
    snprintf(key.name, sizeof key.name, "%s", name);
    if (zmq_curve_keypair(key.public_key, key.secret_key) != 0)
        return pov_error("this libzmq cannot make CURVE keys: %s", zmq_strerror(zmq_errno()));
    POV_TRY(write_key(secret_path, &key, true));
    POV_TRY(write_key(public_path, &key, false));
    *made = key;
    return pov_ok();
}

/* Peers know this machine by the public key. */
static pov_status check_pair(const pov_key *own, const char *path, const char *folder)
{
    path_text public_path;
    char derived[POV_KEY_CAPACITY];
    pov_key copy;
    if (!own->secret_key[0])
        return pov_error("%s: no line of it is secret-key = \"40 characters\"", path);
    if (zmq_curve_public(derived, own->secret_key) != 0)
        return pov_error("this libzmq has no CURVE keys: %s", zmq_strerror(zmq_errno()));
    if (strcmp(derived, own->public_key) != 0)
        return pov_error("%s: its secret key does not belong to its public key; bring the file back from a "
                         "copy, or remove it and make new keys by 'pov keys new'",
                         path);
    POV_TRY(join_path(public_path, folder, "self", KEY_SUFFIX));
    if (access(public_path, F_OK) != 0)
        return pov_ok();
    POV_TRY(pov_key_read(&copy, public_path));
    return strcmp(copy.public_key, own->public_key) == 0
               ? pov_ok()
               : pov_error("%s: is not the public key of %s; peers with a copy of it could not connect; "
                           "write the public-key of the latter into it",
                           public_path, path);
}

pov_status pov_key_read_own(pov_key *own, const char *folder)
{
    path_text path;
    struct stat facts;
    *own = (pov_key){.name = ""};
    POV_TRY(join_path(path, folder, "self", KEY_SUFFIX "_secret"));
    if (stat(path, &facts) != 0)
        return pov_error("%s: %s; 'pov keys new' makes this machine's keys", path, strerror(errno));
    if (facts.st_mode & 077)
        return pov_error("%s: others on this machine may read the secret key; run chmod 600 %s", path, path);
    POV_TRY(pov_key_read(own, path));
    pov_status status = check_pair(own, path, folder);
    if (status.code != POV_OK)
        explicit_bzero(own, sizeof *own);
    return status;
}

/* -------- peers -------- */

static pov_status peer_path(path_text path, const char *folder, const char *name)
{
    path_text peers;
    if (!is_name(name))
        return pov_error("'%s' is not a peer's name; use letters, digits, '-', '_' and '.'", name);
    POV_TRY(join_path(peers, folder, "peers", ""));
    return join_path(path, peers, name, KEY_SUFFIX);
}

pov_status pov_peer_allow(const pov_key *peer, const char *folder)
{
    path_text path, peers;
    pov_key known;
    POV_TRY(peer_path(path, folder, peer->name));
    POV_TRY(join_path(peers, folder, "peers", ""));
    POV_TRY(pov_key_folder_make(peers));
    if (access(path, F_OK) == 0) {
        POV_TRY(pov_key_read(&known, path));
        if (strcmp(known.public_key, peer->public_key) != 0)
            return pov_error(
                "%s: a peer called %s has another key; 'pov keys remove %s' first if it is replaced", path,
                peer->name, peer->name);
    }
    return write_key(path, peer, false);
}

pov_status pov_peer_remove(const char *folder, const char *name)
{
    path_text path;
    POV_TRY(peer_path(path, folder, name));
    return unlink(path) == 0 ? pov_ok()
                             : pov_error("%s: %s; 'pov keys show' lists the peers", path, strerror(errno));
}

/* The name in "NAME.key"; false for other and hidden files. */
static bool name_of_file(char name[NAME_MAX + 1], const char *file)
{
    const size_t length = strlen(file), suffix = strlen(KEY_SUFFIX);
    if (file[0] == '.' || length <= suffix || strcmp(file + length - suffix, KEY_SUFFIX) != 0)
        return false;
    snprintf(name, NAME_MAX + 1, "%.*s", (int)(length - suffix), file);
    return true;
}

static int compare_peers(const void *a, const void *b)
{
    return strcmp(((const pov_key *)a)->name, ((const pov_key *)b)->name);
}

/* The file's name counts: the machine may call itself anything. */
static pov_status read_peer(pov_key *peer, const char *folder, const char *name)
{
    path_text path;
    if (!is_name(name))
        return pov_error("%s/peers/%s" KEY_SUFFIX
                         ": is not named after a peer; use letters, digits, '-', '_' and '.'",
                         folder, name);
    POV_TRY(peer_path(path, folder, name));
    POV_TRY(pov_key_read(peer, path));
    snprintf(peer->name, sizeof peer->name, "%s", name);
    explicit_bzero(peer->secret_key, sizeof peer->secret_key);
    return pov_ok();
}

static void skip_peer(pov_peers *peers, const pov_status *why)
{
    static const char others[] = "; and others";
    const size_t length = strlen(peers->trouble), room = sizeof peers->trouble - length;
    const bool fits = strlen(why->message) + 2 + sizeof others <= room;
    peers->skipped++;
    if (fits)
        snprintf(peers->trouble + length, room, "%s%s", length ? "; " : "", why->message);
    else if (!strstr(peers->trouble, others))
        snprintf(peers->trouble + length, room, "%s", others);
}

static void read_peers(pov_peers *peers, DIR *directory, const char *folder)
{
    char name[NAME_MAX + 1];
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!name_of_file(name, entry->d_name))
            continue;
        pov_key peer;
        const pov_status status = peers->len < POV_PEER_MAX
                                      ? read_peer(&peer, folder, name)
                                      : pov_error("%s/peers/%s" KEY_SUFFIX ": there are more than %d peers",
                                                  folder, name, POV_PEER_MAX);
        if (status.code == POV_OK)
            peers->peers[peers->len++] = peer;
        else
            skip_peer(peers, &status);
    }
    qsort(peers->peers, (size_t)peers->len, sizeof peers->peers[0], compare_peers);
}

pov_status pov_peers_read(pov_peers *peers, const char *folder)
{
    path_text path;
    peers->len = peers->skipped = 0;
    peers->trouble[0] = '\0';
    POV_TRY(join_path(path, folder, "peers", ""));
    DIR *directory = opendir(path);
    if (!directory)
        return errno == ENOENT ? pov_ok() : pov_error("%s: %s", path, strerror(errno));
    read_peers(peers, directory, folder);
    closedir(directory);
    return pov_ok();
}

static pov_status choose_peer(pov_key *peer, const pov_peers *peers, const char *folder, const char *name)
{
    char list[512] = "";
    for (int i = 0; i < peers->len; i++) {
        if (name ? strcmp(peers->peers[i].name, name) == 0 : peers->len == 1) {
            *peer = peers->peers[i];
            return pov_ok();
        }
        const size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "", peers->peers[i].name);
    }
    if (peers->skipped > 0 && (name || peers->len == 0))
        return pov_error("no key of %s can be read: %s", name ? name : "any peer", peers->trouble);
    if (peers->len == 0)
        return pov_error("%s/peers: empty; copy the station's self.key here and run 'pov keys allow FILE'",
                         folder);
    return name ? pov_error("no peer is called %s; there are: %s", name, list)
                : pov_error("several peers have keys here; say which one by its name: %s", list);
}

pov_status pov_peer_find(pov_key *peer, const char *folder, const char *name)
{
    *peer = (pov_key){.name = ""};
    pov_peers *peers = malloc(sizeof *peers);
    if (!peers)
        return pov_error("out of memory for the peers' keys");
    pov_status status = pov_peers_read(peers, folder);
    if (status.code == POV_OK)
        status = choose_peer(peer, peers, folder, name);
    free(peers);
    return status;
}
