/* Prints where things are in each image: subscribe [ENDPOINT [KEYS SERVER]]. Once:
 *   protoc-c --c_out=. -I protocol protocol/pov.proto
 *   cc -I. docs/examples/subscribe.c pov.pb-c.c -lzmq -lprotobuf-c -o subscribe */
#include "pov.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

static void print(const Pov__Envelope *envelope)
{
    const Pov__Observation *o = envelope->observation;
    printf("%s at %" PRId64 " ns, %" PRIu64 " lost before it\n", o->image->name, o->image->capture_ns,
           envelope->lost);
    for (size_t i = 0; i < o->scene->n_entities; i++) {
        const Pov__Entity *entity = o->scene->entities[i];
        if (!entity->position || entity->position->n_mean_m != 3) /* its position is unknown */
            continue;
        const double *p_m = entity->position->mean_m;
        printf("  %s at %.3f %.3f %.3f m\n", entity->name, p_m[0], p_m[1], p_m[2]);
    }
    fflush(stdout);
}

/* Sets a socket's option to what such a line of the file says: public-key = "..." */
static int use_key(void *socket, int option, const char *folder, const char *file, const char *which)
{
    char path[4096], line[256], name[32], value[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *stream = fopen(path, "r");
    int found = 0;
    while (stream && fgets(line, sizeof line, stream))
        if (sscanf(line, " %31[a-z-] = \"%63[^\"]", name, value) == 2 && strcmp(name, which) == 0)
            found = zmq_setsockopt(socket, option, value, strlen(value) + 1) == 0;
    if (stream)
        fclose(stream);
    else
        perror(path);
    return found;
}

/* The folder of this machine's keys, the station's name among its peers. */
static int use_keys(void *socket, const char *folder, const char *server)
{
    char peer[256];
    snprintf(peer, sizeof peer, "peers/%s.key", server);
    return use_key(socket, ZMQ_CURVE_PUBLICKEY, folder, "self.key", "public-key") &&
           use_key(socket, ZMQ_CURVE_SECRETKEY, folder, "self.key_secret", "secret-key") &&
           use_key(socket, ZMQ_CURVE_SERVERKEY, folder, peer, "public-key");
}

int main(int argc, char **argv)
{
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_SUB);
    if (argc > 3 && !use_keys(socket, argv[2], argv[3]))
        return 1;
    if (zmq_connect(socket, argc > 1 ? argv[1] : "tcp://127.0.0.1:5570") != 0) {
        fprintf(stderr, "%s\n", zmq_strerror(zmq_errno()));
        return 1;
    }
    zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "scene", 5);
    for (;;) {
        zmq_msg_t part;
        zmq_msg_init(&part);
        if (zmq_msg_recv(&part, socket, 0) < 0)
            return 1;
        if (!zmq_msg_more(&part)) { /* the last frame is the message */
            Pov__Envelope *envelope = pov__envelope__unpack(NULL, zmq_msg_size(&part), zmq_msg_data(&part));
            if (envelope && envelope->schema_version == 2 &&
                envelope->content_case == POV__ENVELOPE__CONTENT_OBSERVATION)
                print(envelope);
            pov__envelope__free_unpacked(envelope, NULL);
        }
        zmq_msg_close(&part);
    }
}
