/** CURVE keys (RFC 26, https://rfc.zeromq.org/spec/26): this machine's pair, and the public keys of its peers, in one folder:
 *
 *      self.key          this machine's name and public key; peers get a copy
 *      self.key_secret   the same with the secret key; mode 600
 *      peers/NAME.key    the public key of a peer that may connect here, or that this machine connects to
 *
 *  czmq's zcert and pyzmq's zmq.auth read and write files of this form. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

enum {
    POV_KEY_CAPACITY = 41, /* 40 characters of Z85 (RFC 32) */
    POV_PEER_NAME_CAPACITY = 64,
    POV_PEER_MAX = 1024,
    POV_PEER_TROUBLE_CAPACITY = 1024
};

typedef struct {
    char name[POV_PEER_NAME_CAPACITY]; /* letters, digits, '-', '_' and '.' */
    char public_key[POV_KEY_CAPACITY];
    char secret_key[POV_KEY_CAPACITY]; /* "": a public key alone */
} pov_key;

typedef struct {
    int len;
    pov_key peers[POV_PEER_MAX];             /* by name */
    int skipped;                             /* files NAME.key that are no public key of a peer */
    char trouble[POV_PEER_TROUBLE_CAPACITY]; /* names them, and says why; "": none */
} pov_peers;

/** Makes the folder, and every missing one above it, with mode 700. */
POV_MUST_USE pov_status pov_key_folder_make(const char *folder);

/** Makes a pair and writes self.key and self.key_secret. The folder is made, with mode 700.
 *  Errors: there is a pair already; `name` has other characters; the folder cannot be written. */
POV_MUST_USE pov_status pov_key_make(pov_key *made, const char *folder, const char *name);
/** This machine's pair. Errors: there is none (the message names `pov keys new`); others may read the secret key; the public key
 *  beside it, or in self.key, which peers have copies of, is that of another secret key. */
POV_MUST_USE pov_status pov_key_read_own(pov_key *own, const char *folder);
/** A file with a public key. Errors name the file. */
POV_MUST_USE pov_status pov_key_read(pov_key *key, const char *path);
/** The text of such a file; `path` names it in errors. */
POV_MUST_USE pov_status pov_key_parse(pov_key *key, const char *path, const char *text);

/** Writes peers/NAME.key. Errors: a peer of that name has another key. */
POV_MUST_USE pov_status pov_peer_allow(const pov_key *peer, const char *folder);
/** Removes peers/NAME.key. Errors: no such peer. */
POV_MUST_USE pov_status pov_peer_remove(const char *folder, const char *name);
/** The peer of that name; NULL: the only one. Errors list the peers there are. */
POV_MUST_USE pov_status pov_peer_find(pov_key *peer, const char *folder, const char *name);
/** All peers; none if the folder is missing. A file that cannot be used is skipped, and named in peers->trouble.
 *  Errors: the folder cannot be read. */
POV_MUST_USE pov_status pov_peers_read(pov_peers *peers, const char *folder);
