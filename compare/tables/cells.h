/** The cells of a table in little memory: each text is kept once, and of a thousand rows a column keeps the few texts that it has and a
 *  byte or two a row that tell which. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_CELLS_COLUMNS_MAX = 128 };

typedef struct pov_cells pov_cells;

/** Without memory the program ends, here and below. */
pov_cells *pov_cells_new(void);
void pov_cells_destroy(pov_cells **cells);

/** Keeps a text; out: its number, 0 for "". Returns: false: with it, all texts together would have more than 1 GB. */
POV_MUST_USE bool pov_cells_keep(pov_cells *cells, uint32_t *text, const char *bytes, size_t length);
/** A text by its number; valid until the next is kept. */
const char *pov_cells_text(const pov_cells *cells, uint32_t text);
/** Greater than each number of a text. */
size_t pov_cells_texts_end(const pov_cells *cells);

/** Adds a row of empty texts, and puts one into the last row. */
void pov_cells_add_row(pov_cells *cells);
void pov_cells_put(pov_cells *cells, int column, uint32_t text);
int pov_cells_rows(const pov_cells *cells);
/** The number of a cell's text. */
uint32_t pov_cells_at(const pov_cells *cells, int row, int column);
