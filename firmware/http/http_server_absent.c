/* Stands where http/http_server.c does in a build without POV_WITH_DASHBOARD. */
#include "firmware/http/http_server.h"

pov_status pov_http_server_new(pov_http_server **server, pov_http_handler *handler, void *user,
                               const pov_http_server_config *config)
{
    (void)handler;
    (void)user;
    (void)config;
    *server = NULL;
    return pov_error("this pov was built without a web server: build it again with -DPOV_WITH_DASHBOARD=ON "
                     "(docs/INSTALL.md)");
}

void pov_http_server_destroy(pov_http_server **server)
{
    (void)server;
}

bool pov_http_write(pov_http_writer *writer, const void *bytes, size_t len)
{
    (void)writer;
    (void)bytes;
    (void)len;
    return false;
}

bool pov_http_socket_send(pov_http_socket *socket, bool is_text, const void *bytes, size_t len)
{
    (void)socket;
    (void)is_text;
    (void)bytes;
    (void)len;
    return false;
}

int pov_http_server_port(const pov_http_server *server)
{
    (void)server;
    return 0;
}
