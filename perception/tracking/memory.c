#include "perception/tracking/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

/* Each of the two lists has notes of its own. */
static void share_out_notes(
    const pov_memory *m, pov_expected *list,
    unsigned char
        *notes) /* NOLINT(readability-non-const-parameter): the notes are written through the list */
{
    for (int i = 0; i < m->shape.things_max; i++)
        list[i] = (pov_expected){.note = notes + (size_t)i * m->shape.note_bytes};
}

pov_status pov_memory_new(pov_memory **memory, const pov_memory_shape *shape)
{
    pov_memory *m = *memory = calloc(1, sizeof *m);
    const size_t aligned = _Alignof(max_align_t), things = (size_t)shape->things_max;
    if (!m)
        return pov_error("memory of images: out of memory");
    m->shape = *shape;
    m->shape.note_bytes = (shape->note_bytes + aligned - 1) / aligned * aligned;
    m->expected = calloc(things, sizeof *m->expected);
    m->next = calloc(things, sizeof *m->next);
    m->bytes = calloc(2, things * m->shape.note_bytes + 1);
    m->schedule = calloc(1, shape->schedule_bytes + 1);
    if (!m->expected || !m->next || !m->bytes || !m->schedule) {
        pov_memory_destroy(memory);
        return pov_error("memory of images: out of memory");
    }
    share_out_notes(m, m->expected, m->bytes);
    share_out_notes(m, m->next, m->bytes + things * m->shape.note_bytes);
    return pov_ok();
}

void pov_memory_destroy(pov_memory **memory)
{
    if (!*memory)
        return;
    free((*memory)->expected);
    free((*memory)->next);
    free((*memory)->bytes);
    free((*memory)->schedule);
    free(*memory);
    *memory = NULL;
}

void pov_memory_clear(pov_memory *memory)
{
    memory->len = memory->next_turn = 0;
    memory->images = 0;
    memset(memory->schedule, 0, memory->shape.schedule_bytes);
}

/* ---- an image ---- */

void pov_memory_begin(pov_memory *memory, int64_t now_ns, uint32_t sequence)
{
    const uint32_t images = sequence - memory->sequence;
    memory->last_ns = memory->now_ns;
    memory->now_ns = now_ns;
    memory->sequence = sequence;
    memory->period_ns = (now_ns - memory->last_ns) / (images > 0 ? images : 1);
    memory->next_len = 0;
}

void pov_memory_end(pov_memory *memory)
{
    pov_expected *const before = memory->expected;
    memory->expected = memory->next;
    memory->len = memory->next_len;
    memory->next = before;
    memory->images++;
}

static void copy_thing(const pov_memory *m, pov_expected *thing, const pov_expected *from)
{
    void *note = thing->note;
    *thing = from ? *from : (pov_expected){.seen_ns = m->now_ns};
    thing->note = note;
    if (from)
        memcpy(note, from->note, m->shape.note_bytes);
    else
        memset(note, 0, m->shape.note_bytes);
}

pov_expected *pov_memory_add(pov_memory *memory, const pov_expected *before)
{
    if (memory->next_len == memory->shape.things_max)
        return NULL;
    copy_thing(memory, &memory->next[memory->next_len], before);
    return &memory->next[memory->next_len++];
}

pov_expected *pov_memory_expect(pov_memory *memory)
{
    POV_REQUIRE(memory->len < memory->shape.things_max);
    copy_thing(memory, &memory->expected[memory->len], NULL);
    return &memory->expected[memory->len++];
}

void pov_memory_keep(pov_memory *memory)
{
    memory->images++;
}

void pov_memory_see(const pov_memory *memory, pov_expected *thing, const double *at, int coordinates)
{
    const double elapsed_ns = (double)(memory->now_ns - thing->seen_ns);
    for (int i = 0; i < coordinates; i++) {
        thing->per_ns[i] = elapsed_ns > 0 ? (at[i] - thing->at[i]) / elapsed_ns : 0;
        thing->at[i] = at[i];
    }
    thing->seen_ns = memory->now_ns;
    thing->missed = 0;
}

void pov_memory_predict(double *at, const pov_memory *memory, const pov_expected *thing, int coordinates)
{
    const double elapsed_ns = (double)(memory->now_ns - thing->seen_ns);
    for (int i = 0; i < coordinates; i++)
        at[i] = thing->at[i] + thing->per_ns[i] * elapsed_ns;
}

void pov_memory_give_turns(pov_memory *memory, int turns)
{
    const int first = memory->next_turn;
    for (int i = 0; i < memory->len; i++) {
        const int at = (first + i) % memory->len;
        pov_expected *thing = &memory->expected[at];
        thing->has_turn = thing->wants_turn && turns > 0;
        if (!thing->has_turn)
            continue;
        turns--;
        memory->next_turn = (at + 1) % memory->len;
    }
}
