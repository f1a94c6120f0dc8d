#include "compare/tables/cells.h"

#include "config/files/grow.h"
#include "perception/hash.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BITS = 10, BLOCK = 1 << BLOCK_BITS }; /* rows */
static const size_t TEXT_BYTES_MAX = (size_t)1 << 30;

/* A column of a full block. */
typedef struct {
    uint32_t *texts; /* that it has, one for each code; where `codes` is NULL: of each row, or one for all */
    void *codes;     /* [row] uint8_t or uint16_t */
    uint8_t bytes;   /* of a code; 0: all rows have one text; 4: `texts` is of each row */
} packed_column;

typedef struct {
    packed_column column[POV_CELLS_COLUMNS_MAX];
} block;

typedef struct {
    uint32_t text[POV_CELLS_COLUMNS_MAX];
} row_of_texts;

struct pov_cells {
    char *bytes; /* all texts, each followed by '\0'; bytes[0] is "". A text's number is its place */
    size_t length, capacity;
    uint32_t *slot; /* open addressing: the place of a text, 0: free */
    size_t slots, used;
    block **blocks;
    int blocks_len, blocks_capacity;
    row_of_texts *open; /* the rows behind the last full block */
    int open_len, open_capacity;
    int columns; /* before the first that no text was put into */
};

enum { SLOTS = 2 * BLOCK };

pov_cells *pov_cells_new(void)
{
    pov_cells *cells = pov_allocate(1, sizeof *cells);
    *cells = (pov_cells){.length = 1, .capacity = 1 << 12, .slots = 256};
    cells->bytes = pov_allocate(cells->capacity, 1);
    cells->slot = pov_allocate(cells->slots, sizeof *cells->slot);
    return cells;
}

void pov_cells_destroy(pov_cells **cells)
{
    if (!*cells)
        return;
    for (int i = 0; i < (*cells)->blocks_len; i++) {
        for (int c = 0; c < (*cells)->columns; c++) {
            free((*cells)->blocks[i]->column[c].texts);
            free((*cells)->blocks[i]->column[c].codes);
        }
        free((*cells)->blocks[i]);
    }
    free((*cells)->blocks);
    free((*cells)->open);
    free((*cells)->bytes);
    free((*cells)->slot);
    free(*cells);
    *cells = NULL;
}

/* ---- texts ---- */

static uint64_t hash_text(const char *bytes, size_t length)
{
    const uint64_t h = pov_hash_block(bytes, length);
    return h ^ h >> 29;
}

/* The slot of a text, or the free one where it belongs. */
static uint32_t *find_slot(const pov_cells *cells, const char *bytes, size_t length)
{
    size_t i = hash_text(bytes, length) & (cells->slots - 1);
    for (; cells->slot[i]; i = (i + 1) & (cells->slots - 1)) {
        const char *known = cells->bytes + cells->slot[i];
        if (strncmp(known, bytes, length) == 0 && known[length] == '\0')
            break;
    }
    return &cells->slot[i];
}

static void grow_slots(pov_cells *cells)
{
    uint32_t *old = cells->slot;
    const size_t len = cells->slots;
    cells->slots *= 2;
    cells->slot = pov_allocate(cells->slots, sizeof *cells->slot);
    for (size_t i = 0; i < len; i++)
        if (old[i])
            *find_slot(cells, cells->bytes + old[i], strlen(cells->bytes + old[i])) = old[i];
    free(old);
}

static void grow_bytes(pov_cells *cells, size_t needed)
{
    while (cells->capacity < needed)
        cells->capacity += cells->capacity / 2;
    cells->bytes = realloc(cells->bytes, cells->capacity);
    POV_REQUIRE_MEMORY(cells->bytes);
}

bool pov_cells_keep(pov_cells *cells, uint32_t *text, const char *bytes, size_t length)
{
    *text = 0;
    if (length == 0)
        return true;
    uint32_t *slot = find_slot(cells, bytes, length);
    if (*slot) {
        *text = *slot;
        return true;
    }
    const size_t needed = cells->length + length + 1;
    if (needed > TEXT_BYTES_MAX)
        return false;
    if (needed > cells->capacity)
        grow_bytes(cells, needed);
    memcpy(cells->bytes + cells->length, bytes, length);
    cells->bytes[cells->length + length] = '\0';
    *text = *slot = (uint32_t)cells->length;
    cells->length = needed;
    if (4 * ++cells->used > 3 * cells->slots)
        grow_slots(cells);
    return true;
}

const char *pov_cells_text(const pov_cells *cells, uint32_t text)
{
    return cells->bytes + text;
}

size_t pov_cells_texts_end(const pov_cells *cells)
{
    return cells->length;
}

/* ---- rows ---- */

/* The texts of a full block's column. */
typedef struct {
    uint32_t text[BLOCK];
    uint16_t code[BLOCK]; /* [row] */
    uint16_t slot[SLOTS]; /* open addressing: code + 1, 0: free */
    int len;
} dictionary;

static void fill_dictionary(dictionary *d, const row_of_texts *rows, int column)
{
    d->len = 0;
    memset(d->slot, 0, sizeof d->slot);
    for (int row = 0; row < BLOCK; row++) {
        const uint32_t text = rows[row].text[column];
        size_t i = (text * 2654435761u) >> 8 & (SLOTS - 1);
        while (d->slot[i] && d->text[d->slot[i] - 1] != text)
            i = (i + 1) & (SLOTS - 1);
        if (!d->slot[i]) {
            d->text[d->len] = text;
            d->slot[i] = (uint16_t)++d->len;
        }
        d->code[row] = (uint16_t)(d->slot[i] - 1);
    }
}

static uint32_t *copy_texts(const uint32_t *texts, int len)
{
    uint32_t *copy = pov_allocate((size_t)len, sizeof *copy);
    memcpy(copy, texts, (size_t)len * sizeof *copy);
    return copy;
}

static void pack_column(packed_column *column, const dictionary *d)
{
    if (d->len == 1 && d->text[0] == 0)
        return; /* all are empty */
    column->bytes = d->len == 1 ? 0 : d->len <= 256 ? 1 : d->len <= BLOCK / 2 ? 2 : 4;
    column->texts = copy_texts(d->text, column->bytes == 4 ? BLOCK : d->len);
    if (column->bytes == 4)
        for (int row = 0; row < BLOCK; row++)
            column->texts[row] = d->text[d->code[row]];
    if (column->bytes != 1 && column->bytes != 2)
        return;
    column->codes = pov_allocate(BLOCK, column->bytes);
    for (int row = 0; row < BLOCK; row++)
        if (column->bytes == 1)
            ((uint8_t *)column->codes)[row] = (uint8_t)d->code[row];
        else
            ((uint16_t *)column->codes)[row] = d->code[row];
}

static void close_block(pov_cells *cells)
{
    dictionary *d = pov_allocate(1, sizeof *d);
    block *full = pov_allocate(1, sizeof *full);
    for (int c = 0; c < cells->columns; c++) {
        fill_dictionary(d, cells->open, c);
        pack_column(&full->column[c], d);
    }
    free(d);
    POV_REQUIRE_MEMORY(
        pov_grow(&cells->blocks, &cells->blocks_capacity, cells->blocks_len, sizeof *cells->blocks));
    cells->blocks[cells->blocks_len++] = full;
    cells->open_len = 0;
}

void pov_cells_add_row(pov_cells *cells)
{
    if (cells->open_len == BLOCK)
        close_block(cells);
    POV_REQUIRE_MEMORY(pov_grow(&cells->open, &cells->open_capacity, cells->open_len, sizeof *cells->open));
    cells->open[cells->open_len++] = (row_of_texts){{0}};
}

void pov_cells_put(pov_cells *cells, int column, uint32_t text)
{
    POV_REQUIRE(cells->open_len > 0 && column >= 0 && column < POV_CELLS_COLUMNS_MAX);
    cells->open[cells->open_len - 1].text[column] = text;
    if (column >= cells->columns)
        cells->columns = column + 1;
}

int pov_cells_rows(const pov_cells *cells)
{
    return cells->blocks_len * BLOCK + cells->open_len;
}

uint32_t pov_cells_at(const pov_cells *cells, int row, int column)
{
    const int number = row >> BLOCK_BITS, in_block = row & (BLOCK - 1);
    if (number == cells->blocks_len)
        return cells->open[in_block].text[column];
    const packed_column *packed = &cells->blocks[number]->column[column];
    switch (packed->bytes) {
    case 0:
        return packed->texts ? packed->texts[0] : 0;
    case 1:
        return packed->texts[((const uint8_t *)packed->codes)[in_block]];
    case 2:
        return packed->texts[((const uint16_t *)packed->codes)[in_block]];
    default:
        return packed->texts[in_block];
    }
}
