#include "firmware/keys/door.h"

#include "protocol/links/endpoint.h"
#include "protocol/links/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

pov_status pov_keys_folder(char *folder, size_t capacity)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const bool named = config && config[0] == '/';
    if (!named && (!home || !home[0]))
        return pov_error("neither HOME nor XDG_CONFIG_HOME says where this user's keys are; name their "
                         "folder by --keys DIR");
    const int length =
        snprintf(folder, capacity, named ? "%s/pov/keys" : "%s/.config/pov/keys", named ? config : home);
    return length < (int)capacity ? pov_ok() : pov_error("the path of this user's keys is too long");
}

static bool has_keys(const char *folder)
{
    char path[POV_PATH_CAPACITY + 16];
    snprintf(path, sizeof path, "%s/self.key_secret", folder);
    return access(path, F_OK) == 0;
}

static pov_status count_peers(int *len, const char *folder)
{
    pov_peers *peers = malloc(sizeof *peers);
    if (!peers)
        return pov_error("out of memory for the peers' keys");
    pov_status status = pov_peers_read(peers, folder);
    *len = peers->len;
    free(peers);
    return status;
}

static pov_status admit_peers(pov_door *door)
{
    int len = 0;
    POV_TRY(count_peers(&len, door->keys));
    snprintf(door->who, sizeof door->who, "%d peer%s with a key in %.100s/peers", len, len == 1 ? "" : "s",
             door->keys);
    return pov_ok();
}

pov_status pov_door_choose(pov_door *door, const pov_door_config *config)
{
    *door = (pov_door){.keys = ""};
    const bool local = pov_endpoint_is_local(config->endpoint);
    if (config->keys[0] && config->insecure)
        return pov_error("%s: keys and 'insecure' exclude each other", config->endpoint);
    if (config->keys[0])
        snprintf(door->keys, sizeof door->keys, "%s", config->keys);
    else if (!local && !config->insecure)
        POV_TRY(pov_keys_folder(door->keys, sizeof door->keys));
    if (door->keys[0] && (config->keys[0] || has_keys(door->keys)))
        return admit_peers(door);
    if (!local && !config->insecure)
        return pov_error("%s can be reached from other machines, and this machine has no keys in %s. Either "
                         "'pov keys new' and "
                         "'pov keys allow FILE' for each peer, or --insecure: then anyone may connect",
                         config->endpoint, door->keys);
    snprintf(door->who, sizeof door->who, "%s",
             local ? "programs of this machine" : "ANYONE who can reach this machine (insecure)");
    return pov_ok();
}

/* folder: room for the path of the usual keys. */
static pov_status configure_client(pov_subscriber_config *config, char folder[POV_PATH_CAPACITY],
                                   const pov_door_client *client, const char *endpoint)
{
    *config = (pov_subscriber_config){
        .endpoint = endpoint, .topic = "", .keys = client->keys, .server = client->server};
    if (!client->server || client->keys)
        return pov_ok();
    config->keys = folder;
    return pov_keys_folder(folder, POV_PATH_CAPACITY);
}

pov_status pov_door_subscribe(pov_subscriber **subscriber, const pov_door_client *client,
                              const char *endpoint, const char *topic)
{
    char folder[POV_PATH_CAPACITY];
    pov_subscriber_config config;
    POV_TRY(configure_client(&config, folder, client, endpoint));
    config.topic = topic;
    return pov_subscriber_new(subscriber, &config);
}

pov_status pov_door_request(pov_requester **requester, const pov_door_client *client, const char *endpoint)
{
    char folder[POV_PATH_CAPACITY];
    pov_subscriber_config config;
    POV_TRY(configure_client(&config, folder, client, endpoint));
    return pov_requester_new(requester, &config);
}
