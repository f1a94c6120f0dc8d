/** All readings of a sentence by a grammar, the cheapest first: a top-down chart (Norvig 1991) of rules over spans.
 *
 *  The POV_READINGS_KEPT cheapest readings of each rule over each span are kept, so that ambiguity cannot explode: time and
 *  memory are bounded by rules x words^2 x POV_READINGS_KEPT. */
#pragma once

#include "ask/grammar/sentence.h"

enum { POV_READINGS_KEPT = 5 };

typedef enum { POV_ITEM_NODE, POV_ITEM_TAG, POV_ITEM_NOUN, POV_ITEM_UNKNOWN, POV_ITEM_ANY } pov_item_kind;

struct pov_node;

/** A part of a node. */
typedef struct pov_item {
    pov_item_kind kind;
    const struct pov_node *node; /* of POV_ITEM_NODE */
    const char *text; /* of a tag its name; of a noun the vocabulary's word; else the word itself */
    bool several;     /* of a noun: "cups" */
    const struct pov_item *next;
} pov_item;

/** A rule applied to the words [begin, end). */
typedef struct pov_node {
    const char *name; /* of the rule */
    int begin, end, cost;
    const pov_item *items;
} pov_node;

typedef struct pov_chart pov_chart;

POV_MUST_USE pov_status pov_chart_new(pov_chart **chart);
void pov_chart_destroy(pov_chart **chart);

/** Reads the words as `rule`, all of them, or (`whole` false) the longest beginning from word `at`.
 *  Out: nodes, cheapest first; they and their texts live until the next call. Returns their number, 0: not understood.
 *  No allocation once the chart has grown to its largest sentence. */
int pov_chart_read(pov_chart *chart, const pov_node *nodes[POV_READINGS_KEPT], const pov_grammar *grammar,
                   const pov_vocabulary *vocabulary, const pov_sentence *sentence, const char *rule, int at,
                   bool whole);

/** Words that slipped: those of a reading that are taken for others. */
typedef struct {
    int len;
    struct {
        char read[POV_WORD_CAPACITY], as[POV_WORD_CAPACITY];
    } list[8];
} pov_mended;
/** Lists the words of the last sentence that a reading took for others. */
void pov_chart_mended(const pov_chart *chart, pov_mended *mended, const pov_node *node);
/** The first word that no reading gets beyond; the number of words: the sentence ends too early. */
int pov_chart_stuck_at(const pov_chart *chart);

bool pov_node_has(const pov_node *node, const char *tag);
/** The first part of that name, itself or within; NULL. */
const pov_node *pov_node_find(const pov_node *node, const char *name);
