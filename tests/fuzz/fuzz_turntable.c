/* A driver whose line says anything: it always comes to an end, and never says that it arrived unless a report of rest at the
 * target was among what it was told. */
#include "protocol/turntable/turntable.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

typedef struct {
    const uint8_t *bytes;
    size_t length;
    int64_t now_ns;
} talker;

static pov_status talker_open(void *impl)
{
    (void)impl;
    return pov_ok();
}

static pov_status talker_write(void *impl, const char *bytes, size_t length, int64_t until_ns)
{
    (void)impl, (void)bytes, (void)length, (void)until_ns;
    return pov_ok();
}

/* A byte 0x80 to 0xff ends what comes at once; 0xff is a pulled plug. */
static pov_status talker_read(void *impl, size_t *length, char *bytes, size_t capacity, int64_t until_ns)
{
    talker *self = impl;
    *length = 0;
    while (*length < capacity && self->length > 0 && *self->bytes < 0x80) {
        bytes[(*length)++] = (char)*self->bytes++;
        self->length--;
    }
    if (*length > 0)
        return pov_ok();
    self->now_ns = until_ns > self->now_ns ? until_ns : self->now_ns;
    if (self->length == 0)
        return pov_status_of(POV_TIMEOUT);
    self->length--;
    return *self->bytes++ == 0xff ? pov_status_with(POV_END, "gone") : pov_status_of(POV_TIMEOUT);
}

static int64_t talker_now_ns(void *impl)
{
    return ((talker *)impl)->now_ns;
}

static void talker_wait(void *impl, int64_t until_ns)
{
    ((talker *)impl)->now_ns = until_ns;
}

static void talker_destroy(void *impl)
{
    (void)impl;
}

static const pov_serial_backend backend = {talker_open,   talker_write, talker_read,
                                           talker_now_ns, talker_wait,  talker_destroy};

static void check(int condition)
{
    if (!condition)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    talker self = {bytes, length, 0};
    pov_turntable_config config = POV_TURNTABLE_DEFAULT;
    pov_serial_line *line;
    pov_turntable *table;
    pov_turntable_status status;
    check(pov_serial_line_new(&line, &backend, &self, "fuzz").code == POV_OK);
    pov_status opened = pov_turntable_new(&table, line, &config);
    if (opened.code == POV_OK) {
        (void)!pov_turntable_ask(table, &status).code;
        pov_status moved = pov_turntable_move(table, 1.5, POV_TURN_SHORTEST);
        check(moved.code == POV_OK ? memmem(bytes, length, "<Idle", 5) != NULL : moved.message[0] != '\0');
        (void)!pov_turntable_home(table).code;
        (void)!pov_turntable_stop(table).code;
    } else
        check(table == NULL && opened.message[0] != '\0');
    check(self.now_ns < (int64_t)86400 * 1000000000); /* a few of the longest waits */
    pov_turntable_destroy(&table);
    pov_serial_line_destroy(&line);
    return 0;
}
