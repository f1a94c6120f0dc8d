#include "protocol/ros2/dds_library.h"

#include <dds/ddsi/q_radmin.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ISO C has no conversion from an object's address to a function's. */
static bool find_function(void *function, void *handle, const char *name)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

pov_status pov_dds_library_load(pov_dds_library *library)
{
    void *handle = dlopen(POV_DDSC_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return pov_error("ROS 2 needs Eclipse Cyclone DDS: %.200s; install it (Debian 12: sudo apt-get "
                         "install libddsc0debian)",
                         dlerror());
#define POV_DDS_FIND(name)                                                                                   \
    if (!find_function(&library->name, handle, #name))                                                       \
        return pov_error("%s: lacks the function %s; install the version that pov was built with",           \
                         POV_DDSC_SONAME, #name);
    POV_DDS_FUNCTIONS(POV_DDS_FIND)
    return pov_ok();
}

/* ---- samples ---- */

/* DDS may free a type after the node that made it is gone: it has all that it needs with it. */
typedef struct {
    struct ddsi_sertype base;
    struct ddsi_sertype_ops functions;
    pov_dds_library library;
} bytes_type;

typedef struct {
    struct ddsi_serdata base;
    size_t len;
    uint8_t bytes[]; /* up to the next multiple of four: so much is sent */
} bytes_sample;

static size_t round_up(size_t len)
{
    return (len + 3) / 4 * 4;
}

static bytes_sample *make_sample(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t len)
{
    bytes_sample *made = calloc(1, sizeof *made + round_up(len));
    if (!made)
        return NULL;
    ((const bytes_type *)type)->library.ddsi_serdata_init(&made->base, type, kind);
    made->base.hash = type->serdata_basehash;
    made->len = len;
    return made;
}

static bool is_same_key(const struct ddsi_serdata *a, const struct ddsi_serdata *b)
{
    (void)a, (void)b;
    return true; /* types of ROS 2 have no keys */
}

static uint32_t get_size(const struct ddsi_serdata *sample)
{
    return (uint32_t)((const bytes_sample *)sample)->len;
}

/* Fragments may overlap, and come in order. */
static struct ddsi_serdata *gather_fragments(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
                                             const struct nn_rdata *fragment, size_t size)
{
    bytes_sample *made = make_sample(type, kind, size);
    size_t len = 0;
    for (; made && fragment; fragment = fragment->nextfrag) {
        if (fragment->maxp1 <= len || fragment->min > len || fragment->maxp1 > size)
            continue;
        const unsigned char *from = NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
        memcpy(made->bytes + len, from + (len - fragment->min), fragment->maxp1 - len);
        len = fragment->maxp1;
    }
    return made ? &made->base : NULL;
}

static struct ddsi_serdata *gather_parts(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
                                         ddsrt_msg_iovlen_t count, const ddsrt_iovec_t *parts, size_t size)
{
    bytes_sample *made = make_sample(type, kind, size);
    size_t len = 0;
    for (ddsrt_msg_iovlen_t i = 0; made && i < count; i++) {
        const size_t fits = parts[i].iov_len < size - len ? parts[i].iov_len : size - len;
        memcpy(made->bytes + len, parts[i].iov_base, fits);
        len += fits;
    }
    return made ? &made->base : NULL;
}

static struct ddsi_serdata *make_from_key(const struct ddsi_sertype *type, const struct ddsi_keyhash *key)
{
    (void)key;
    bytes_sample *made = make_sample(type, SDK_KEY, 0);
    return made ? &made->base : NULL;
}

/* Samples are written as serdata only. */
static struct ddsi_serdata *refuse_sample(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind,
                                          const void *sample)
{
    (void)type, (void)kind, (void)sample;
    return NULL;
}

static void copy_bytes(const struct ddsi_serdata *sample, size_t from, size_t len, void *to)
{
    memcpy(to, ((const bytes_sample *)sample)->bytes + from, len);
}

static struct ddsi_serdata *lend_bytes(const struct ddsi_serdata *sample, size_t from, size_t len,
                                       ddsrt_iovec_t *to)
{
    bytes_sample *lender = (bytes_sample *)sample; /* its count of users changes */
    to->iov_base = lender->bytes + from;
    to->iov_len = len;
    __atomic_fetch_add(&lender->base.refc.v, 1, __ATOMIC_ACQ_REL);
    return &lender->base;
}

static void return_bytes(struct ddsi_serdata *sample, const ddsrt_iovec_t *lent)
{
    (void)lent;
    if (__atomic_fetch_sub(&sample->refc.v, 1, __ATOMIC_ACQ_REL) == 1)
        sample->ops->free(sample);
}

static bool refuse_to_sample(const struct ddsi_serdata *sample, void *to, void **room, void *end)
{
    (void)sample, (void)to, (void)room, (void)end;
    return false;
}

static struct ddsi_serdata *make_untyped(const struct ddsi_serdata *sample)
{
    bytes_sample *made = make_sample(sample->type, SDK_KEY, 0);
    if (!made)
        return NULL;
    made->base.type = NULL;
    return &made->base;
}

static bool refuse_untyped(const struct ddsi_sertype *type, const struct ddsi_serdata *sample, void *to,
                           void **room, void *end)
{
    (void)type, (void)sample, (void)to, (void)room, (void)end;
    return false;
}

static void free_sample(struct ddsi_serdata *sample)
{
    free(sample);
}

static size_t print_sample(const struct ddsi_sertype *type, const struct ddsi_serdata *sample, char *text,
                           size_t capacity)
{
    (void)type;
    return (size_t)snprintf(text, capacity, "%zu bytes", ((const bytes_sample *)sample)->len);
}

static void get_key(const struct ddsi_serdata *sample, struct ddsi_keyhash *key, bool as_digest)
{
    (void)sample, (void)as_digest;
    memset(key, 0, sizeof *key);
}

static const struct ddsi_serdata_ops sample_functions = {.eqkey = is_same_key,
                                                         .get_size = get_size,
                                                         .from_ser = gather_fragments,
                                                         .from_ser_iov = gather_parts,
                                                         .from_keyhash = make_from_key,
                                                         .from_sample = refuse_sample,
                                                         .to_ser = copy_bytes,
                                                         .to_ser_ref = lend_bytes,
                                                         .to_ser_unref = return_bytes,
                                                         .to_sample = refuse_to_sample,
                                                         .to_untyped = make_untyped,
                                                         .untyped_to_sample = refuse_untyped,
                                                         .free = free_sample,
                                                         .print = print_sample,
                                                         .get_keyhash = get_key};

struct ddsi_serdata *pov_dds_sample_new(const struct ddsi_sertype *type, const uint8_t *bytes, size_t len)
{
    bytes_sample *made = make_sample(type, SDK_DATA, len);
    if (!made)
        return NULL;
    memcpy(made->bytes, bytes, len);
    return &made->base;
}

void pov_dds_sample_bytes(const struct ddsi_serdata *sample, const uint8_t **bytes, size_t *len)
{
    *bytes = ((const bytes_sample *)sample)->bytes;
    *len = ((const bytes_sample *)sample)->len;
}

/* ---- types ---- */

static void free_type(struct ddsi_sertype *type)
{
    ((bytes_type *)type)->library.ddsi_sertype_fini(type);
    free(type);
}

static void zero_samples(const struct ddsi_sertype *type, void *samples, size_t count)
{
    (void)type, (void)samples, (void)count;
}

static void resize_samples(void **pointers, const struct ddsi_sertype *type, void *old, size_t old_count,
                           size_t count)
{
    (void)type, (void)old, (void)old_count;
    for (size_t i = 0; i < count; i++)
        pointers[i] = NULL;
}

static void free_samples(const struct ddsi_sertype *type, void **pointers, size_t count, dds_free_op_t how)
{
    (void)type, (void)pointers, (void)count, (void)how;
}

static bool is_equal(const struct ddsi_sertype *a, const struct ddsi_sertype *b)
{
    (void)a, (void)b;
    return true; /* their names and functions are equal already */
}

static uint32_t hash_type(const struct ddsi_sertype *type)
{
    (void)type;
    return 0;
}

struct ddsi_sertype *pov_dds_type_new(const pov_dds_library *library, const char *type_name)
{
    bytes_type *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->library = *library;
    made->functions = (struct ddsi_sertype_ops){.version = library->ddsi_sertype_v0,
                                                .free = free_type,
                                                .zero_samples = zero_samples,
                                                .realloc_samples = resize_samples,
                                                .free_samples = free_samples,
                                                .equal = is_equal,
                                                .hash = hash_type};
    library->ddsi_sertype_init(&made->base, type_name, &made->functions, &sample_functions, true);
    return &made->base;
}
