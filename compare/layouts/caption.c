#include "compare/layouts/caption.h"

#include "compare/statistics/name_set.h"
#include "compare/tables/table.h"
#include "config/files/grow.h"
#include "config/files/read_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BYTES_MAX = 1 << 28, ID_CAPACITY = 400 };

struct pov_captions {
    pov_name_set *ids; /* [caption] */
    pov_caption *list; /* [caption] */
    bool *has_split;   /* [caption] */
    char **owned;      /* [caption] its texts, one after another */
    int capacity;
};

const char *pov_split_name(pov_split split)
{
    return split == POV_SPLIT_A ? "A" : "C";
}

/* ---- a caption's meaning ---- */

/* Converting needs no container: external and internal frames turn alike. */
pov_caption_readings pov_caption_read(const pov_caption *caption)
{
    const unsigned relative = 1u << POV_EXTERNAL_RELATIVE | 1u << POV_INTERNAL_RELATIVE,
                   intrinsic = 1u << POV_EXTERNAL_INTRINSIC | 1u << POV_INTERNAL_INTRINSIC;
    pov_caption_readings readings = {0, 0};
    pov_relation converted;
    if (caption->frames & relative)
        readings.relative = 1u << caption->relation;
    if (caption->frames & intrinsic && caption->faces &&
        pov_forest_convert(&converted, caption->relation, POV_EXTERNAL_INTRINSIC, POV_ASK_CAMERA,
                           &caption->facing) == POV_OK)
        readings.intrinsic = 1u << converted;
    return readings;
}

bool pov_caption_is_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (strncasecmp(a, b, 1) != 0 && !(strchr(" _-", *a) && strchr(" _-", *b)))
            return false;
    return *a == *b;
}

/* ---- reading ---- */

static const pov_word facing_words[] = {
    {"front", POV_FACES_TOWARD}, {"toward", POV_FACES_TOWARD}, {"back", POV_FACES_AWAY},
    {"away", POV_FACES_AWAY},    {"left", POV_FACES_LEFT},     {"right", POV_FACES_RIGHT},
    {"nan", POV_FACING_COUNT},   {"none", POV_FACING_COUNT},   {NULL, 0}};
static const pov_word split_words[] = {
    {"a", POV_SPLIT_A}, {"c", POV_SPLIT_C}, {"A-split", POV_SPLIT_A}, {"C-split", POV_SPLIT_C}, {NULL, 0}};

typedef struct {
    const pov_table *table;
    int id, text, locatum, relatum, relation, frames, facing, split; /* columns */
    int row;
} reader;

static int column_of_either(const pov_table *table, const char *name, const char *other)
{
    const int column = pov_table_column(table, name);
    return column >= 0 ? column : pov_table_column(table, other);
}

bool pov_captions_are_in(const pov_table *table)
{
    return pov_table_column(table, "obj1") >= 0 && pov_table_column(table, "obj2") >= 0 &&
           pov_table_column(table, "relation") >= 0;
}

static pov_status find_columns(reader *r)
{
    const pov_table *t = r->table;
    r->text = column_of_either(t, "context", "caption");
    r->facing = column_of_either(t, "facing", "obj2_dir");
    r->split = pov_table_column(t, "split");
    POV_TRY(pov_cell_need_column(&r->id, t, "id", "the caption's"));
    POV_TRY(pov_cell_need_column(&r->locatum, t, "obj1", "what is placed"));
    POV_TRY(pov_cell_need_column(&r->relatum, t, "obj2", "what it is placed by"));
    POV_TRY(pov_cell_need_column(&r->relation, t, "relation", "left, right, front or back"));
    r->frames = pov_table_column(t, "frames");
    return r->frames >= 0 ? pov_ok()
                          : pov_cell_need_column(&r->frames, t, "label", "frames: external relative, ...");
}

static const char *cell(const reader *r, int column)
{
    return pov_table_cell(r->table, r->row, column);
}

/* The way a relatum faces: from its own column, else from the id's end: FRTEXT000000_left. */
static pov_status read_facing(pov_caption *caption, const reader *r)
{
    const char *end = strrchr(caption->id, '_');
    int facing = POV_FACING_COUNT, of_id = POV_FACING_COUNT;
    if (*cell(r, r->facing))
        POV_TRY(pov_cell_word(&facing, r->table, r->row, r->facing, facing_words));
    for (const pov_word *word = facing_words; end && word->word && of_id == POV_FACING_COUNT; word++)
        if (strcasecmp(end + 1, word->word) == 0)
            of_id = word->value;
    if (facing != POV_FACING_COUNT && of_id != POV_FACING_COUNT && facing != of_id)
        return pov_cell_complain(r->table, r->row, r->facing, "'%.20s', but the id is '%.60s'",
                                 cell(r, r->facing), caption->id);
    facing = facing == POV_FACING_COUNT ? of_id : facing;
    caption->faces = facing != POV_FACING_COUNT;
    caption->facing = caption->faces ? (pov_facing)facing : POV_FACES_TOWARD;
    return pov_ok();
}

/* Texts are the table's. */
static pov_status read_caption(pov_caption *caption, bool *has_split, const reader *r)
{
    const unsigned intrinsic = 1u << POV_EXTERNAL_INTRINSIC | 1u << POV_INTERNAL_INTRINSIC;
    int relation, split = POV_SPLIT_C;
    *caption = (pov_caption){.id = cell(r, r->id),
                             .text = cell(r, r->text),
                             .locatum = cell(r, r->locatum),
                             .relatum = cell(r, r->relatum)};
    const int empty = !*caption->id        ? r->id
                      : !*caption->locatum ? r->locatum
                      : !*caption->relatum ? r->relatum
                                           : -1;
    if (empty >= 0)
        return pov_cell_complain(r->table, r->row, empty, "is empty");
    if (strlen(caption->id) >= ID_CAPACITY)
        return pov_cell_complain(r->table, r->row, r->id, "is longer than %d bytes", ID_CAPACITY - 1);
    if (strcasecmp(caption->locatum, caption->relatum) == 0)
        return pov_cell_complain(r->table, r->row, r->relatum, "'%.60s' is obj1, too", caption->relatum);
    POV_TRY(pov_cell_word(&relation, r->table, r->row, r->relation, POV_WORDS_RELATION));
    POV_TRY(pov_cell_words(&caption->frames, r->table, r->row, r->frames, POV_WORDS_FRAME));
    POV_TRY(read_facing(caption, r));
    *has_split = *cell(r, r->split) != '\0';
    if (*has_split)
        POV_TRY(pov_cell_word(&split, r->table, r->row, r->split, split_words));
    caption->relation = (pov_relation)relation;
    caption->split = (pov_split)split;
    if (caption->frames == 0)
        return pov_cell_complain(r->table, r->row, r->frames, "is empty");
    if (caption->frames & intrinsic && !caption->faces)
        return pov_cell_complain(
            r->table, r->row, r->frames,
            "an intrinsic frame, but nothing says how the %.40s faces: 'facing', or an id "
            "that ends in _front, _back, _left or _right",
            caption->relatum);
    return pov_ok();
}

static bool is_same(const pov_caption *a, const pov_caption *b)
{
    return strcmp(a->locatum, b->locatum) == 0 && strcmp(a->relatum, b->relatum) == 0 &&
           a->relation == b->relation && a->frames == b->frames && a->faces == b->faces &&
           a->facing == b->facing;
}

static pov_status copy_texts(pov_captions *captions, int number, const pov_caption *from)
{
    const char *texts[] = {from->id, from->text, from->locatum, from->relatum};
    const char **to[] = {&captions->list[number].id, &captions->list[number].text,
                         &captions->list[number].locatum, &captions->list[number].relatum};
    size_t length = 0;
    for (int i = 0; i < 4; i++)
        length += strlen(texts[i]) + 1;
    char *at = captions->owned[number] = pov_allocate(length, 1);
    for (int i = 0; i < 4; i++) {
        const size_t each = strlen(texts[i]) + 1;
        memcpy(at, texts[i], each);
        *to[i] = at;
        at += each;
    }
    return pov_ok();
}

static void make_room(pov_captions *captions, int len)
{
    int splits = captions->capacity, owned = captions->capacity;
    POV_REQUIRE_MEMORY(pov_grow(&captions->has_split, &splits, len, sizeof *captions->has_split) &&
                       pov_grow(&captions->owned, &owned, len, sizeof *captions->owned) &&
                       pov_grow(&captions->list, &captions->capacity, len, sizeof *captions->list));
}

static pov_status add_row(pov_captions *captions, const reader *r)
{
    pov_caption caption;
    bool has_split = false;
    const int len = pov_captions_len(captions);
    POV_TRY(read_caption(&caption, &has_split, r));
    make_room(captions, len); /* before the name: what is named is there */
    captions->owned[len] = NULL;
    const int number = pov_name_set_add(captions->ids, caption.id, strlen(caption.id));
    if (number < len)
        return is_same(&caption, &captions->list[number])
                   ? pov_ok()
                   : pov_cell_complain(r->table, r->row, r->id, "'%.60s' is another caption above",
                                       caption.id);
    captions->list[number] = caption;
    captions->has_split[number] = has_split;
    return copy_texts(captions, number, &caption);
}

/* The pen's captions are in both splits: the other captions decide. */
static void tell_splits(pov_captions *captions)
{
    bool ambiguous = false;
    for (int i = 0; i < pov_captions_len(captions); i++)
        ambiguous |= !captions->has_split[i] && captions->list[i].frames & (captions->list[i].frames - 1);
    for (int i = 0; i < pov_captions_len(captions); i++)
        if (!captions->has_split[i])
            captions->list[i].split = ambiguous ? POV_SPLIT_A : POV_SPLIT_C;
}

pov_status pov_captions_of_table(pov_captions **captions, const pov_table *table)
{
    reader r = {.table = table};
    pov_captions *made = *captions = pov_allocate(1, sizeof *made);
    made->ids = pov_name_set_new();
    pov_status status = find_columns(&r);
    for (r.row = 0; status.code == POV_OK && r.row < pov_table_len(table); r.row++)
        if (*cell(&r, r.locatum) || *cell(&r, r.relatum))
            status = add_row(made, &r);
    if (status.code == POV_OK && pov_captions_len(made) == 0)
        status = pov_error("%s: has no captions", pov_table_name(table));
    if (status.code != POV_OK) {
        pov_captions_destroy(captions);
        return status;
    }
    tell_splits(made);
    return pov_ok();
}

pov_status pov_captions_parse(pov_captions **captions, const char *name, const char *text, size_t length)
{
    pov_table *table;
    *captions = NULL;
    POV_TRY(pov_table_parse(&table, name, text, length));
    const pov_status status = pov_captions_of_table(captions, table);
    pov_table_destroy(&table);
    return status;
}

pov_status pov_captions_read(pov_captions **captions, const char *path)
{
    pov_bytes bytes = {0};
    *captions = NULL;
    POV_TRY(pov_read_file(&bytes, path, BYTES_MAX, "a file of captions"));
    const pov_status status = pov_captions_parse(captions, path, (const char *)bytes.data, bytes.length);
    pov_bytes_free(&bytes);
    return status;
}

void pov_captions_destroy(pov_captions **captions)
{
    pov_captions *made = *captions;
    if (!made)
        return;
    for (int i = 0; made->ids && i < pov_name_set_len(made->ids); i++)
        free(made->owned[i]);
    pov_name_set_destroy(&made->ids);
    free(made->list);
    free(made->has_split);
    free(made->owned);
    free(made);
    *captions = NULL;
}

/* ---- looking ---- */

int pov_captions_len(const pov_captions *captions)
{
    return pov_name_set_len(captions->ids);
}

const pov_caption *pov_captions_at(const pov_captions *captions, int number)
{
    POV_REQUIRE(number >= 0 && number < pov_captions_len(captions));
    return &captions->list[number];
}

int pov_captions_find(const pov_captions *captions, const char *id)
{
    return pov_name_set_find(captions->ids, id, strlen(id));
}
