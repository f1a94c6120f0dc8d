#include "firmware/finders/finders.h"

#include <stdlib.h>

#define ENTRY(NAME, TYPE, MEMBER) &pov_##NAME##_finder,
static const pov_finder *const table[] = {POV_FINDER_TABLE(ENTRY)};
enum { FINDERS = sizeof table / sizeof *table, READERS = 2, WAYS_MAX = 1 + FINDERS * READERS };

struct pov_finders {
    void *finders[FINDERS];        /* NULL: the station does not want it */
    pov_memory *memories[FINDERS]; /* NULL: each image stands alone */
};

/* ---- the station file ---- */

void pov_finders_read(pov_finder_settings *settings, pov_yaml_node root)
{
    for (int i = 0; i < FINDERS; i++)
        if (table[i]->section)
            table[i]->read_section(settings, pov_yaml_get(root, table[i]->section));
}

/* The ways to find an entity, "survey" first, and who reads each. Returns how many. */
static int list_ways(const char *names[WAYS_MAX], const pov_member_reader *readers[WAYS_MAX])
{
    int len = 1;
    names[0] = "survey";
    readers[0] = NULL;
    for (int i = 0; i < FINDERS * READERS; i++) {
        const pov_member_reader *reader = &table[i / READERS]->readers[i % READERS];
        if (!reader->found_by)
            continue;
        readers[len] = reader;
        names[len++] = reader->found_by->name;
    }
    return len;
}

bool pov_finders_read_member(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node)
{
    const char *names[WAYS_MAX];
    const pov_member_reader *readers[WAYS_MAX];
    int way = 0;
    const int len = list_ways(names, readers);
    pov_yaml_choice(
        &way, pov_yaml_need(node, "found_by", "survey, or the finder that looks for it; docs/STATION.md"),
        names, len);
    if (way == 0 || pov_yaml_failed(node.file))
        return true;
    const pov_member_reader *reader = readers[way];
    member->found_by = reader->found_by;
    reader->read(member, settings,
                 !reader->key         ? node
                 : reader->needed_for ? pov_yaml_need(node, reader->key, reader->needed_for)
                                      : pov_yaml_get(node, reader->key));
    return false;
}

void pov_finders_check(pov_finder_settings *settings, const pov_cast *cast, pov_yaml_node node)
{
    for (int i = 0; i < FINDERS; i++)
        if (table[i]->check)
            table[i]->check(settings, cast, node);
}

/* ---- at work ---- */

static bool remembers_images(const pov_finder *finder, const pov_finder_place *place)
{
    return finder->memory && (finder->remembers ? finder->remembers(place) : place->is_video);
}

static pov_status create_finder(pov_finders *f, int i, const pov_finder_place *place)
{
    if (!table[i]->is_wanted(place->settings))
        return pov_ok();
    POV_TRY(table[i]->create(&f->finders[i], place));
    return remembers_images(table[i], place) ? pov_memory_new(&f->memories[i], table[i]->memory) : pov_ok();
}

pov_status pov_finders_new(pov_finders **finders, const pov_finder_place *place)
{
    pov_finders *f = *finders = calloc(1, sizeof *f);
    pov_status status = f ? pov_ok() : pov_error("finders: out of memory");
    for (int i = 0; i < FINDERS && status.code == POV_OK; i++)
        status = create_finder(f, i, place);
    if (status.code != POV_OK)
        pov_finders_destroy(finders);
    return status;
}

void pov_finders_destroy(pov_finders **finders)
{
    if (!*finders)
        return;
    for (int i = 0; i < FINDERS; i++) {
        if ((*finders)->finders[i])
            table[i]->destroy((*finders)->finders[i]);
        pov_memory_destroy(&(*finders)->memories[i]);
    }
    free(*finders);
    *finders = NULL;
}

/* Finders that run twice on an image find again. */
static void drop_things(pov_findings *findings, const pov_finder *finder)
{
    int kept = 0;
    for (int i = 0; i < findings->thing_len; i++) {
        const pov_found_by *by = findings->things[i].found_by;
        if (by != finder->readers[0].found_by && by != finder->readers[1].found_by)
            findings->things[kept++] = findings->things[i];
    }
    findings->thing_len = kept;
}

pov_status pov_finders_run(pov_finders *finders, pov_findings *findings, pov_finder_turn turn,
                           const pov_image *image, const pov_pose *T_table_camera)
{
    for (int i = 0; i < FINDERS; i++) {
        if (!finders->finders[i] || table[i]->turn != turn)
            continue;
        drop_things(findings, table[i]);
        POV_TRY(table[i]->run(finders->finders[i], findings,
                              &(pov_finder_view){image, T_table_camera, finders->memories[i], false}));
    }
    return pov_ok();
}

pov_status pov_finders_remember(pov_finders *finders, pov_finder_turn turn, const pov_image *image,
                                const pov_pose *T_table_camera, bool is_late)
{
    for (int i = 0; i < FINDERS; i++)
        if (finders->finders[i] && finders->memories[i] && table[i]->turn == turn && table[i]->remember)
            POV_TRY(
                table[i]->remember(finders->finders[i],
                                   &(pov_finder_view){image, T_table_camera, finders->memories[i], is_late}));
    return pov_ok();
}

void pov_finders_forget_places(pov_finders *finders)
{
    for (int i = 0; i < FINDERS; i++)
        if (finders->memories[i] && table[i]->turn == POV_FINDS_BY_POSE)
            pov_memory_clear(finders->memories[i]);
}
