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

static const char *const page_style[] = {
    "body{font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;",
    "color:var(--ink);background:var(--paper);max-width:1080px;margin:0 auto;padding:1.5rem}",
    "h1{font-size:1.8rem;margin:0 0 .5rem}",
    "h2{border-top:2px solid var(--line);padding-top:1rem;margin-top:2.5rem}",
    "h3{margin-top:2rem}",
    "h4{margin:1.5rem 0 .25rem}",
    "nav ul{columns:2;margin:0;padding-left:1.2rem}",
    "a{color:var(--s0)}",
    ".simulated{background:var(--warn);border:2px solid var(--s4);padding:.6rem 1rem;font-weight:bold}",
    "dl.facts{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:1rem 0}",
    "dl.facts dt{color:var(--soft)}",
    "dl.facts dd{margin:0;overflow-wrap:anywhere}",
    ".note,.about{color:var(--soft)}",
    ".note{font-size:.9rem}",
    ".advice{border-left:4px solid var(--s1);background:var(--tint);padding:.4em 1em}",
    ".big{font-size:1.15em}",
    "pre{white-space:pre-wrap}",
    ".wide{overflow-x:auto;margin:1.25rem 0}",
    "table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}",
    "caption{text-align:left;font-weight:600;padding-bottom:.4rem}",
    "th,td{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}",
    "thead th{border-bottom:2px solid var(--soft);vertical-align:bottom;white-space:normal}",
    "td.number{white-space:nowrap}",
    ".number{text-align:right}",
    "td small{display:block;color:var(--soft);font-size:.75rem}",
    ".theirs td,.theirs th{background:var(--tint);color:var(--soft);font-style:italic;",
    "padding-top:.1rem;padding-bottom:.1rem}",
    ".theirs th{font-style:normal;padding-top:.5rem}",
    "figure{margin:1rem 0}",
    "figcaption{color:var(--soft);font-size:.875rem}",
    ".group{display:flex;flex-wrap:wrap;gap:0 2rem;align-items:flex-start}",
    ".group>div{flex:1 1 300px}",
    "figure.half{flex:0 1 360px}",
    "figure.curves{flex:1 0 100%;overflow-x:auto}",
    "svg.plot{max-width:100%;height:auto}",
    ".cases{display:grid;grid-template-columns:repeat(auto-fill,minmax(310px,1fr));",
    "gap:1rem;padding:0;list-style:none}",
    ".case img,.contact img{display:block;max-width:100%;height:auto;border:1px solid var(--line)}",
    ".case dl{display:grid;grid-template-columns:max-content 1fr;gap:0 .8rem;margin:.3rem 0;font-size:.875rem}",
    ".case dt{color:var(--soft)}",
    ".case dd{margin:0;overflow-wrap:anywhere}",
    ".sheet{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:1rem}",
    ".contact{margin:0}",
    ".contact figcaption{font-size:.8rem;color:var(--ink);overflow-wrap:anywhere}",
    ".contact ul{list-style:none;margin:.2rem 0;padding:0}",
    ".contact li{border-top:1px solid var(--line)}",
    ".wrong .mark{color:var(--s1);font-weight:600}",
    ".right .mark{color:var(--s2)}",
    "@page{size:A4;margin:15mm}",
    "@media print{",
    "body{font-size:10pt;max-width:none;padding:0}",
    "nav{display:none}",
    ".wide,figure.curves{overflow:visible}",
    "table{font-size:8pt}",
    "table.many{font-size:6.5pt}",
    "table.many th,table.many td{padding:.15rem .25rem}",
    "td small{font-size:5.8pt}",
    "figure,.case,tr{break-inside:avoid}",
    "h2,h3,h4,h3+p,caption,thead{break-after:avoid}tbody tr:first-child{break-before:avoid}",
    ".case dl,.contact figcaption{font-size:7.5pt;line-height:1.3;display:block}",
    ".case dt{float:left;margin-right:.4em}.case img{max-height:32mm;width:auto}",
    ".group,.cases,.sheet{display:block}",
    "figure.half,.case,.contact{display:inline-block;vertical-align:top}",
    "figure.half{width:48%}",
    ".case{width:31%;margin:0 1% 1rem 0}",
    ".contact{width:23%;margin:0 1% 1rem 0}",
    ".theirs td,.theirs th,.simulated{print-color-adjust:exact;-webkit-print-color-adjust:exact}}",
    NULL};

static const char *const plot_style[] = {
    "svg.plot text{font-family:inherit;font-size:13px;fill:var(--ink)}",
    "svg.plot .tick{font-size:12px}",
    "svg.plot .panel{font-weight:600}",
    ".start{text-anchor:start}",
    ".middle{text-anchor:middle}",
    ".end{text-anchor:end}",
    "svg.plot text.on{fill:#fff;font-size:12px}",
    ".grid,.ring{stroke:var(--line);fill:none;stroke-width:1}",
    ".frame{stroke:var(--soft);fill:none;stroke-width:1}",
    ".line{fill:none;stroke:var(--ink);stroke-width:1.8;stroke-linejoin:round}",
    ".strong{stroke-width:2.4}",
    ".raw{stroke:var(--soft);stroke-width:1.6;opacity:.75}",
    ".band{fill:var(--soft);fill-opacity:.22}",
    ".veil{fill:var(--s0);fill-opacity:.22}",
    ".dashed{stroke-dasharray:7 4}",
    ".dotted{stroke-dasharray:2 3}",
    ".dashdot{stroke-dasharray:9 3 2 3}",
    ".count{fill:var(--soft);fill-opacity:.6}",
    ".heat{fill:var(--heat);stroke:var(--line)}",
    ".chance{stroke:var(--soft);stroke-width:2}",
    ".sign{stroke:none}",
    ".line.s0{stroke:var(--s0)}",
    ".line.s1{stroke:var(--s1)}",
    ".line.s2{stroke:var(--s2)}",
    ".line.s3{stroke:var(--s3)}",
    ".line.s4{stroke:var(--s4)}",
    ".line.s5{stroke:var(--s5)}",
    ".line.s6{stroke:var(--s6)}",
    ".sign.s0{fill:var(--s0)}",
    ".sign.s1{fill:var(--s1)}",
    ".sign.s2{fill:var(--s2)}",
    ".sign.s3{fill:var(--s3)}",
    ".sign.s4{fill:var(--s4)}",
    ".sign.s5{fill:var(--s5)}",
    ".sign.s6{fill:var(--s6)}",
    ".dot{fill:var(--s0);fill-opacity:.6}",
    ".bar{fill:var(--s0)}",
    ".miss{stroke:var(--s1)}",
    ".spread{stroke:var(--s0);stroke-width:5;stroke-opacity:.35}",
    "svg.plot .title{font-size:19px}",
    "svg.plot text.ink{fill:#000;font-size:12px}",
    ".eye{fill:var(--s1)}",
    "svg.plot text.warn{fill:var(--s1)}",
    "svg.plot text.halo{fill:var(--paper);stroke:var(--s0);stroke-width:3px;paint-order:stroke}",
    NULL};
/* clang-format on */

static void write_palette(FILE *stream, bool dark)
{
    fputs(":root{", stream);
    for (int i = 0; i < COLOURS; i++)
        fprintf(stream, "--%s:%s;", palette[i].name, dark ? palette[i].dark : palette[i].light);
    fputs("}", stream);
}

static void write_lines(FILE *stream, const char *const lines[])
{
    for (int i = 0; lines[i]; i++)
        fprintf(stream, "%s\n", lines[i]);
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
    write_lines(stream, plot_style);
    write_lines(stream, page_style);
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
static void write_resolved(FILE *stream, const char *line)
{
    static const char var[] = "var(--";
    for (const char *at; (at = strstr(line, var)) != NULL; line = strchr(at, ')') + 1) {
        const char *name = at + strlen(var);
        fprintf(stream, "%.*s", (int)(at - line), line);
        for (int i = 0; i < COLOURS; i++)
            if (strlen(palette[i].name) == strcspn(name, ")") &&
                strncmp(name, palette[i].name, strlen(palette[i].name)) == 0)
                fputs(palette[i].light, stream);
    }
    fprintf(stream, "%s\n", line);
}

void pov_page_write_plot_style(FILE *stream)
{
    fputs("<style>\n", stream);
    for (int i = 0; plot_style[i]; i++)
        write_resolved(stream, plot_style[i]);
    fputs("</style>\n", stream);
}
