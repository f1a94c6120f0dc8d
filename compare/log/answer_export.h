/** A log's answers as files for other programs: a row each, or in the forms of the papers' own files. */
#pragma once

#include "compare/answers/choice_benchmark.h"
#include "compare/log/answer_log.h"

#include <stdio.h>

typedef enum {
    POV_EXPORT_CSV,
    POV_EXPORT_JSONL,
    POV_EXPORT_COMFORT,
    POV_EXPORT_VSR, /* the questions as the paper released its own, as the next two */
    POV_EXPORT_FOREST,
    POV_EXPORT_SPHERE,
    POV_EXPORT_FOREST_ANSWERS,
    POV_EXPORT_CHOICES, /* from here on the questions in the forms of compare/answers/choice_benchmark.h */
    POV_EXPORT_COUNT = POV_EXPORT_CHOICES + POV_CHOICE_BENCHMARKS
} pov_export_format;
/** "csv", "jsonl", "comfort", "vsr", "forest", "sphere", "forest-answers", "viewspatial", ... */
const char *pov_export_name(pov_export_format format);

/** The source of `gold`, the right answers. */
typedef enum { POV_GOLD_STATION, POV_GOLD_TRUTH } pov_gold_source;

/** Reads the probabilities of north, east, south and west from the tokens of a result: compare/vlm/direction_tokens.h. False: not known. */
typedef bool pov_log_directions(double p[4], const pov_log_result *result);

#define POV_GEOMETRY "geometry (the station)"

typedef struct {
    pov_export_format format;
    const char *paper; /* "comfort", ...; NULL: all. POV_EXPORT_COMFORT takes its own */
    pov_gold_source gold;
    int *left_out; /* of VSR's, FoREST's, SPHERE's: pov_released_export's; NULL: nobody asks */
    pov_log_directions *directions; /* of questions that ask for them; NULL: without these columns */
    const char *image_folder;       /* before the images' paths; NULL: they are told from the log's folder */
    bool
        curves; /* only what has a place on a curve or asks whether a thing is there: what `pov score` takes of COMFORT */
    bool scored_only; /* without the columns that nothing reads which scores or reports */
    bool
        geometry; /* of questions that no model has been asked: the station's P(yes), as the answers of POV_GEOMETRY */
} pov_export_options;

/** Answers to COMFORT's questions about relations that are on no curve. */
typedef struct {
    int64_t farther;  /* another image is nearer to their place */
    int64_t unplaced; /* their image has none */
} pov_export_beside;
/** "12 answers, at angles that a nearer image has, and 3 of images that are at none"; "": there are none. The caller frees it. */
char *pov_export_beside_words(const pov_export_beside *beside);

/** Writes every counted answer, and what each model was not asked yet, in the order of questions; docs/LOG.md lists the columns. A relatum or addressee that
 *  turns with the table has no constant facing: its column is empty, and questions from its viewpoint are on no curve. Of a model's answers
 *  to a question at one place of a curve, the one counts whose image is nearest to it; one that has no answer counts only where none has.
 *  Out: beside: may be NULL.
 *  Returns: POV_ERROR if the log cannot be read or the stream not be written. */
POV_MUST_USE pov_status pov_answer_export(pov_answer_log *log, pov_export_beside *beside, FILE *stream,
                                          const pov_export_options *options);
