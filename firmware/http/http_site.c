#include "firmware/http/http_site.h"

#include "firmware/descriptors.h"
#include "firmware/keys/door.h"
#include "protocol/links/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pov_status pov_http_place_take(void *value, const char *text)
{
    pov_http_place *place = value;
    const pov_status wrong = pov_error("takes a port, or ADDRESS:PORT, not '%s'", text);
    const bool insecure = strncmp(text, "http://", 7) == 0;
    text += insecure ? 7 : 0;
    const char *colon = strrchr(text, ':');
    const char *digits = colon ? colon + 1 : text;
    char *end;
    const long port = strtol(digits, &end, 10);
    if (*digits < '0' || *digits > '9' || *end || port > 65535)
        return wrong;
    const int host_len = colon ? (int)(colon - text) : 0;
    if (host_len >= POV_ADDRESS_CAPACITY || (colon && host_len == 0) ||
        strcspn(text, ", ") < (size_t)host_len)
        return wrong;
    *place = (pov_http_place){.port = (int)port, .insecure = insecure};
    snprintf(place->address, sizeof place->address, "%.*s", host_len, text);
    if (host_len == 0 || strcmp(place->address, "localhost") == 0)
        snprintf(place->address, sizeof place->address, "127.0.0.1");
    return pov_ok();
}

static void write_url(char url[POV_URL_CAPACITY], const pov_http_site *site, const char *page,
                      const char *token)
{
    snprintf(url, POV_URL_CAPACITY, "%s%s://%s:%d/%s%s%s", site->scheme, site->secure ? "s" : "", site->host,
             site->access.port, page, *token ? "?token=" : "", token);
}

static void name_host(pov_http_site *site, const char *address)
{
    snprintf(site->host, sizeof site->host, "%s", address);
    if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "[::]") == 0)
        gethostname(site->host, sizeof site->host - 1);
}

/* The certificate stands beside this user's keys. */
static pov_status find_certificate(pov_http_site *site, char path[POV_PATH_CAPACITY])
{
    char folder[POV_PATH_CAPACITY - 16], host[64] = "";
    POV_TRY(pov_keys_folder(folder, sizeof folder));
    POV_TRY(pov_key_folder_make(folder));
    gethostname(host, sizeof host - 1);
    snprintf(path, POV_PATH_CAPACITY, "%s/certificate.pem", folder);
    site->secure = true;
    return pov_certificate_provide(site->fingerprint, path, host);
}

pov_status pov_http_site_open(pov_http_site *site, const pov_http_place *place,
                              const pov_http_site_config *config)
{
    char certificate[POV_PATH_CAPACITY] = "";
    const bool is_here = pov_address_is_loopback(place->address);
    site->scheme = config->scheme;
    if (!is_here)
        POV_TRY(pov_token_draw(site->access.operate));
    if (!is_here && config->has_roles)
        POV_TRY(pov_token_draw(site->access.see));
    if (!is_here && !place->insecure)
        POV_TRY(find_certificate(site, certificate));
    const pov_http_server_config server = {.address = place->address,
                                           .port = place->port,
                                           .body_max_bytes = config->body_max_bytes,
                                           .gated_max = pov_descriptors_for_pages(),
                                           .certificate = *certificate ? certificate : NULL,
                                           .sockets = config->sockets};
    POV_TRY(pov_http_server_new(&site->server, config->handler, config->user, &server));
    site->access.port = pov_http_server_port(site->server);
    name_host(site, place->address);
    return pov_ok();
}

void pov_http_site_close(pov_http_site *site)
{
    pov_http_server_destroy(&site->server);
}

void pov_http_site_url(char url[POV_URL_CAPACITY], const pov_http_site *site, const char *page)
{
    write_url(url, site, page, site->access.operate);
}

void pov_http_site_print(const pov_http_site *site, const char *label, const char *page)
{
    char url[POV_URL_CAPACITY];
    pov_http_site_url(url, site, page);
    fprintf(stderr, "%s: %s\n", label, url);
    if (*site->access.see) {
        write_url(url, site, page, site->access.see);
        fprintf(stderr, "%s, to look only: %s\n", label, url);
    }
    if (site->secure)
        fprintf(stderr, "its certificate, SHA-256: %s\n", site->fingerprint);
}
