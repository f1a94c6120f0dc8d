#include "draw/page.h"

#include "config/files/markup.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* Colours after Okabe & Ito 2008, which colour-blind readers can tell apart: darker on paper, lighter in the dark. */
static const struct {
    const char *name, *light, *dark;
} palette[] = {
    {"paper", "#fff", "#16181d"},
    {"ink", "#1b1d21", "#e6e8ec"},
    {"soft", "#5b626c", "#a4abb6"},
    {"line", "#c9ced6", "#3b414b"},
    {"tint", "#f3f5f8", "#1f232a"},
    {"warn", "#fff3d6", "#4a3a10"},
    {"heat", "#0072b2", "#0072b2"},
    {"s0", "#0072b2", "#56b4e9"},
    {"s1", "#d55e00", "#ff8f4d"},
    {"s2", "#007a5a", "#3ccfa0"},
    {"s3", "#b0508a", "#e6a3c8"},
    {"s4", "#a86f00", "#e69f00"},
    {"s5", "#2b7fb5", "#f0e442"},
    {"s6", "#1b1d21", "#e6e8ec"},
};
enum { COLOURS = sizeof palette / sizeof *palette };
/* clang-format on */

static void write_palette(FILE *stream, bool dark)
{
    fputs(":root{", stream);
    for (int i = 0; i < COLOURS; i++)
        fprintf(stream, "--%s:%s;", palette[i].name, dark ? palette[i].dark : palette[i].light);
    fputs("}", stream);
}

static const char *style_of(const char *name)
{
    return (const char *)pov_embedded_find(POV_PAGE_STYLES, name)->bytes;
}

void pov_page_begin(FILE *stream, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
          stream);
    pov_page_element(stream, "title", "%s", title);
    fputs("<style>\n:root{color-scheme:light dark}\n", stream);
    write_palette(stream, false);
    fputs("\n@media screen and (prefers-color-scheme:dark){", stream);
    write_palette(stream, true);
    fputs("}\n", stream);
    fputs(style_of("plot.css"), stream);
    fputs(style_of("page.css"), stream);
    fputs("</style>\n</head>\n<body>\n", stream);
}

void pov_page_end(FILE *stream)
{
    fputs("</body>\n</html>\n", stream);
}

void pov_page_element(FILE *stream, const char *tag, const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "<%s>", tag);
    pov_markup_text(stream, text);
    fprintf(stream, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void pov_page_preformatted(FILE *stream, void (*print)(FILE *stream, const void *report), const void *report)
{
    char *text = NULL;
    size_t length;
    FILE *memory = open_memstream(&text, &length);
    fputs("<pre>", stream);
    if (memory) {
        print(memory, report);
        fclose(memory);
        for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
            pov_markup_text(stream, line);
            fputc('\n', stream);
        }
    }
    free(text);
    fputs("</pre>\n", stream);
}

void pov_page_figure_begin(FILE *stream, const char *look)
{
    fprintf(stream, "<figure class=\"%s\">\n", look);
}

void pov_page_figure_end(FILE *stream, const char *caption)
{
    fputs("<figcaption>", stream);
    pov_markup_text(stream, caption);
    fputs("</figcaption></figure>\n", stream);
}

/* ---- drawings alone ---- */

/* Not every program that shows SVG knows var(): each var(--name) becomes its colour. */
static void write_resolved(FILE *stream, const char *text)
{
    static const char var[] = "var(--";
    for (const char *at; (at = strstr(text, var)) != NULL; text = strchr(at, ')') + 1) {
        const char *name = at + strlen(var);
        fprintf(stream, "%.*s", (int)(at - text), text);
        for (int i = 0; i < COLOURS; i++)
            if (strlen(palette[i].name) == strcspn(name, ")") &&
                strncmp(name, palette[i].name, strlen(palette[i].name)) == 0)
                fputs(palette[i].light, stream);
    }
    fputs(text, stream);
}

void pov_page_write_plot_style(FILE *stream)
{
    fputs("<style>\n", stream);
    write_resolved(stream, style_of("plot.css"));
    fputs("</style>\n", stream);
}
