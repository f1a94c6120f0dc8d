/** A server at a place that people name: on this machine for its programs, elsewhere by TLS for who knows a token. */
#pragma once

#include "firmware/http/certificate.h"
#include "firmware/http/http_access.h"
#include "firmware/options.h"

enum { POV_ADDRESS_CAPACITY = 128, POV_URL_CAPACITY = 320 };

/** address "": none was given. */
typedef struct {
    char address[POV_ADDRESS_CAPACITY];
    int port;
    bool insecure; /* without TLS, also at an address that others can reach */
} pov_http_place;

/** Takes a pov_http_place: "[http://][HOST:]PORT". Without a host it is for this machine only; "http://" leaves TLS out. */
pov_option_take pov_http_place_take;

typedef struct {
    pov_http_server *server;
    pov_http_access access;
    const char *scheme; /* "http" or "ws", without the s of TLS */
    bool secure;
    char host[POV_ADDRESS_CAPACITY], fingerprint[POV_FINGERPRINT_CAPACITY];
} pov_http_site;

typedef struct {
    const char *scheme;
    pov_http_handler *handler;
    void *user; /* of the handler */
    size_t body_max_bytes;
    bool has_roles;                  /* there is a second token, of people who may look only */
    const pov_http_sockets *sockets; /* NULL: none */
} pov_http_site_config;

/** Listens, and answers from then on; a handler finds the access in the site. Start from {0}. */
POV_MUST_USE pov_status pov_http_site_open(pov_http_site *site, const pov_http_place *place,
                                           const pov_http_site_config *config);
/** Nothing happens if it is not open. */
void pov_http_site_close(pov_http_site *site);

/** The URL of a page ("": the first) for who may operate. */
void pov_http_site_url(char url[POV_URL_CAPACITY], const pov_http_site *site, const char *page);
/** Prints to stderr: that URL, the one to look only, and the certificate's fingerprint, if there are any. label: "dashboard". */
void pov_http_site_print(const pov_http_site *site, const char *label, const char *page);
