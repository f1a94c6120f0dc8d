/** The true answers to questions about images, for a simulated VLM. JSON lines, one for each question about an image:
 *
 *      {"image": "af63bd4c8601b7df", "prompt": "Is the ball to the left of the car?", "relation": "left_of",
 *       "asked": "egocentric/reflected", "golds": {"egocentric/reflected": 0.93, "intrinsic": 0.07}}
 *
 *  `image` is pov_vlm_truth_hash of the bytes that are sent; "" for a question without an image. `golds` says for each frame
 *  how much the answer is yes (a number in [0, 1], by cosine acceptance) or what the answer is (a text). Frames are
 *  named PERSPECTIVE or PERSPECTIVE/CONVENTION, or "mirrored" (left and right mistaken); `asked` is the one that the question means, by
 *  default the first. Optional: `relation`, `yes` and `no`, the words to answer with, `options`, those that are offered, `system`, a
 *  system prompt that it is only asked with (8192 bytes at most), `flipped`, for a mirrored image, `scaffold`, the hash of the image
 *  behind the others that helps to answer, `cogmap`, the map that is drawn before an answer, and `explains`, for a chain of thought. */
#pragma once

#include <stdbool.h>

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_VLM_TRUTH_GOLD_MAX = 16, POV_VLM_TRUTH_OPTION_MAX = 26, POV_VLM_TRUTH_PROMPT_MAX = 8192 };
#define POV_VLM_FRAME_MIRRORED "mirrored"
/* Whose axes answer wrongly where the other's are asked for. */
#define POV_VLM_FRAME_CAMERA  "camera"
#define POV_VLM_FRAME_RELATUM "relatum"
#define POV_VLM_TRUTH_FILE    "vlm_truth.jsonl" /* its name in a folder of images */

typedef struct {
    const char *frame; /* "egocentric/reflected", "intrinsic" */
    double yes;        /* NaN: the answer is the text */
    const char *text;  /* NULL: the answer is yes or no */
} pov_vlm_gold;

typedef struct {
    uint64_t image; /* 0: no image */
    const char *prompt;
    const char *system;   /* the system prompt, where that tells questions apart; NULL: whatever it is */
    const char *relation; /* NULL: none */
    const char *yes_word, *no_word;
    uint64_t scaffold;   /* the last of several images, which helps to answer; 0: none */
    const char *cogmap;  /* the right map, which it draws first; NULL: none */
    bool flipped;        /* the image is mirrored */
    bool explains;       /* it is to explain, then answer ("Answer: ...") */
    int gold_len, asked; /* index */
    pov_vlm_gold golds[POV_VLM_TRUTH_GOLD_MAX];
    int option_len;
    const char *options[POV_VLM_TRUTH_OPTION_MAX]; /* whole answers: "A. left" */
} pov_vlm_truth;

/** FNV-1a, 64 bits. */
uint64_t pov_vlm_truth_hash(const void *bytes, size_t len);

/** The line for a truth, with its newline; NULL words are left out. `line` is the caller's to free().
 *  Returns: POV_ERROR if out of memory, or there is no gold or one is neither a text nor in [0, 1]. */
POV_MUST_USE pov_status pov_vlm_truth_line(char **line, const pov_vlm_truth *truth);

typedef struct pov_vlm_truths pov_vlm_truths;

/** Errors name the path, line and key. A last line without its newline is being written, and left out.
 *  The last of several lines about one image and prompt counts. */
POV_MUST_USE pov_status pov_vlm_truths_read(pov_vlm_truths **truths, const char *path);
POV_MUST_USE pov_status pov_vlm_truths_parse(pov_vlm_truths **truths, const char *name, const char *text,
                                             size_t len);
void pov_vlm_truths_destroy(pov_vlm_truths **truths);

int pov_vlm_truths_len(const pov_vlm_truths *truths);
const pov_vlm_truth *pov_vlm_truths_at(const pov_vlm_truths *truths, int i);
/** NULL: nothing is known. Prompts are alike whatever space is around them. */
const pov_vlm_truth *pov_vlm_truths_find(const pov_vlm_truths *truths, uint64_t image, const char *prompt,
                                         const char *system);
/** For any image: one of those that the prompt was asked about, always the same. */
const pov_vlm_truth *pov_vlm_truths_find_prompt(const pov_vlm_truths *truths, const char *prompt);
