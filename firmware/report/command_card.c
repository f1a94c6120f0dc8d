#include "compare/report/model_card.h"
#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "firmware/report/report_reading.h"
#include "perception/version.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 100000 };

typedef struct {
    const char *out, *json;
    pov_answers_options scoring;
} card_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_PATH(card_options, out, "out", "FILE", "the page"),
    POV_PATH(card_options, json, "json", "FILE", "the same tables as one JSON object"),
    POV_ANSWERS_OPTIONS(card_options, scoring),
    POV_OPTIONS_END,
};

const pov_command pov_command_card = {
    .name = "card",
    .summary = "one model on a page: frames, flips, robust accuracy, scaffolds, cost",
    .run = run,
    .usage = "MODEL RUN_DIR|LOG|ANSWERS... [--out FILE] [--json FILE] [OPTIONS]",
    .about = "One model on one page of HTML, and the same as JSON: the frame of reference that it uses by "
             "language and "
             "prompt, where its answers flip, accuracy plain, robust and chance-adjusted by benchmark, what "
             "scaffolds change, how its probabilities are calibrated, latency, tokens and cost. Versions, "
             "seeds and "
             "SHA-256 of images and questions tell whether two cards may be compared (docs/CARD.md). It "
             "takes what "
             "'pov report' takes.",
    .options = option_table,
    .words = {.min = 2, .max = WORDS_MAX, .wanted = "expected a model, and logs or files of answers"},
    .examples = "pov card gpt-4o tonight\n"
                "pov card llava-1.5 monday tuesday --out llava.html --json llava.json",
    .exits = "0 done; 1 a file is invalid, or none of its answers is of that model",
};

static pov_status write_card(const card_options *o, const pov_model_card *card, const pov_sheet *sheet)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, o->out));
    pov_model_card_write_html(card, sheet, file.stream);
    POV_TRY(pov_write_file_end(&file, pov_ok()));
    POV_TRY(pov_write_file_begin(&file, o->json));
    pov_sheet_write(sheet, file.stream, true);
    return pov_write_file_end(&file, pov_ok());
}

static int make_card(const card_options *o, const pov_words *words)
{
    pov_report_reading *f;
    pov_sheet *sheet = pov_sheet_new();
    pov_status status = pov_report_reading_new(&f, false);
    POV_THEN(status, pov_report_reading_read(f, words->word + 1, words->len - 1, &o->scoring));
    const pov_model_card card = {.model = words->word[0],
                                 .version = POV_VERSION,
                                 .simulated =
                                     f->told.simulated.len > 0 ? pov_text_of(&f->told.simulated) : NULL,
                                 .facts = f->told.facts,
                                 .facts_len = f->told.facts_len,
                                 .answers = f->answers,
                                 .len = f->len,
                                 .extra = f->told.sheet,
                                 .seed = o->scoring.bootstrap.seed};
    POV_THEN(status, pov_model_card_fill(sheet, &card));
    POV_THEN(status, write_card(o, &card, sheet));
    if (status.code == POV_OK)
        printf("%s\n%s\n", o->out, o->json);
    pov_sheet_destroy(&sheet);
    pov_report_reading_destroy(&f);
    return pov_cli_exit(status);
}

static int run(int argc, char **argv)
{
    card_options options = {.out = "card.html", .json = "card.json"};
    pov_words words;
    pov_answers_options_default(&options.scoring);
    const int code = pov_command_read(&options, &words, &pov_command_card, argc, argv);
    return code != POV_GO_ON ? code : make_card(&options, &words);
}
