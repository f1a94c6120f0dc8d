/** HTML pages that stand alone, without script or network; readable in light, dark and print. */
#pragma once

#include "config/files/embedded.h"

#include <stdio.h>

/** "page.css", of pages, and "plot.css", which drawings follow; built in. Colours are names: var(--ink). */
extern const pov_embedded_file POV_PAGE_STYLES[];

/** Everything before the body's content; then, after the content, its end. */
void pov_page_begin(FILE *stream, const char *title);
void pov_page_end(FILE *stream);

/** An element with text of at most 2000 bytes. `tag`: its name, and attributes if it has any ("p class=\"note\""). */
void pov_page_element(FILE *stream, const char *tag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** `print`'s output on a report, shown as it is. */
void pov_page_preformatted(FILE *stream, void (*print)(FILE *stream, const void *report), const void *report);
/** A figure of class "curves" (as wide as the page) or "half". */
void pov_page_figure_begin(FILE *stream, const char *look);
void pov_page_figure_end(FILE *stream, const char *caption);

/** The style that drawings follow, with the light colours: for an SVG that is a file of its own. */
void pov_page_write_plot_style(FILE *stream);
