/** A log's images and questions as a dataset for other people's evaluation engines. docs/ENGINES.md has the formats. */
#pragma once

#include "compare/log/answer_log.h"

#include <stdio.h>

typedef enum {
    POV_DATASET_VLMEVALKIT,
    POV_DATASET_LMMS_EVAL,
    POV_DATASET_JSONL,
    POV_DATASET_COUNT
} pov_dataset_format;
/** "vlmevalkit", "lmms-eval", "jsonl"; NULL after the last. */
const char *pov_dataset_format_name(int format);

enum { POV_DATASET_PARTS = 3, POV_DATASET_ID_CAPACITY = 400, POV_DATASET_NAME_CAPACITY = 48 };

typedef struct {
    pov_dataset_format format;
    const char *folder;  /* of the dataset; may be there */
    const char *images;  /* the log's folder */
    const char *source;  /* what was exported, for people */
    const char *licence; /* NULL: none was given */
} pov_dataset_options;

typedef struct {
    char name[16]; /* "pov_" and digits of the questions' SHA-256 */
    int images;
    int64_t questions, abstained; /* without a right answer in the frame that is asked for */
    int64_t left_out; /* of sg-cot, which takes two requests: engines ask once */
    int64_t rows[POV_DATASET_PARTS];
    char part_names[POV_DATASET_PARTS][POV_DATASET_NAME_CAPACITY]; /* "" unless it has rows */
} pov_dataset_summary;

/** Writes the dataset, its datasheet and the SHA-256 of its files. Each file is there whole or not at all.
 *  Returns: POV_ERROR also if the log holds no question. */
POV_MUST_USE pov_status pov_dataset_write(pov_dataset_summary *summary, pov_answer_log *log,
                                          const pov_dataset_options *options);

/** A question's name in a dataset: "3fa9c07d1e22.17/comfort/ball:car/left_of/camera/en", the image's SHA-256, its stop, the key. */
void pov_dataset_id(char id[POV_DATASET_ID_CAPACITY], const pov_log_image *image,
                    const pov_log_question *question);

/** The datasheet, in Markdown. datasheet.c */
POV_MUST_USE pov_status pov_datasheet_write(FILE *stream, pov_answer_log *log,
                                            const pov_dataset_options *options,
                                            const pov_dataset_summary *summary);
