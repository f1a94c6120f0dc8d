/* Reads an utterance: its language, its slips, its grammar. */
#include "ask/talk/talk_internal.h"

#include <stdio.h>
#include <string.h>

/* A reading of at least so much takes a word that nobody knows, which may be a slip: %unknown in the grammars. */
enum { UNKNOWN_COST = 8 };
/* A slip of an English word is likelier than one of another language that English has not been read in. Chosen. */
enum { OTHER_LANGUAGE_COST = 4 };

/* Moves a viewpoint that stands between pauses to the end: "is the ball, as anna sees it, left of the car". */
static int read_around_view(pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT])
{
    pov_sentence whole = heard->sentence;
    for (int at = 1; at < whole.words.len; at++) {
        pov_sentence moved = whole;
        if (pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &whole, "STRONGVIEW", at,
                           false) == 0)
            continue;
        int end = nodes[0]->end, count = end - at;
        if (end >= whole.words.len || (!whole.words.paused[at] && !whole.words.paused[end]))
            continue;
        pov_sentence_cut(&moved, at, count);
        for (int i = 0; i < count; i++) {
            strcpy(moved.words.word[moved.words.len], whole.words.word[at + i]);
            moved.words.paused[moved.words.len] = i == 0;
            moved.word[moved.words.len++] = whole.word[at + i];
        }
        heard->sentence = moved;
        int len = pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &heard->sentence,
                                 "START", 0, true);
        if (len > 0)
            return len;
    }
    heard->sentence = whole;
    return 0;
}

static pov_status read_in(int *len, pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT],
                          const pov_grammar *language, bool mends)
{
    heard->grammar = language;
    POV_TRY(pov_sentence_read(&heard->sentence, language, &heard->vocabulary, heard->text, mends));
    *len =
        pov_chart_read(heard->chart, nodes, language, &heard->vocabulary, &heard->sentence, "START", 0, true);
    if (*len == 0)
        *len = read_around_view(heard, nodes);
    return pov_ok();
}

/* Words that neither the language nor the scene has, nor any like them. */
static int count_unknown(const pov_heard *heard)
{
    int unknown = 0;
    for (int i = 0; i < heard->sentence.words.len; i++)
        unknown += heard->sentence.word[i].unknown && heard->sentence.word[i].len == 0 &&
                   heard->sentence.word[i].noun_len == 0;
    return unknown;
}

pov_status pov_heard_read(int *len, pov_talk *talk, pov_heard *heard,
                          const pov_node *nodes[POV_READINGS_KEPT])
{
    int best = -1, least = 0, nearest = 0, fewest = POV_WORDS_MAX + 1;
    for (int i = 0; i < talk->language_len; i++) {
        POV_TRY(read_in(len, heard, nodes, talk->language[i], false));
        if (*len > 0 && nodes[0]->cost < UNKNOWN_COST)
            return pov_ok();
    }
    for (int i = 0; i < talk->language_len; i++) {
        POV_TRY(read_in(len, heard, nodes, talk->language[i], true));
        const int unknown = count_unknown(heard);
        const int cost = *len > 0 ? nodes[0]->cost + (i > 0 ? OTHER_LANGUAGE_COST : 0) : 0;
        if (unknown < fewest) {
            fewest = unknown;
            nearest = i;
            best = -1; /* "what is this" is no German of three unknown words */
        }
        if (*len > 0 && unknown == fewest && (best < 0 || cost < least)) {
            best = i;
            least = cost;
        }
    }
    return read_in(len, heard, nodes, talk->language[best < 0 ? nearest : best], true);
}

const char *pov_heard_unknown_word(const pov_heard *heard)
{
    for (int i = 0; i < heard->sentence.words.len; i++)
        if (heard->sentence.word[i].unknown && heard->sentence.word[i].len == 0 &&
            heard->sentence.word[i].noun_len == 0)
            return heard->sentence.words.word[i];
    return NULL;
}

const char *pov_heard_stuck_word(pov_heard *heard)
{
    const pov_node *nodes[POV_READINGS_KEPT];
    if (pov_sentence_read(&heard->sentence, heard->grammar, &heard->vocabulary, heard->text, true).code !=
        POV_OK)
        return NULL;
    if (pov_heard_unknown_word(heard))
        return pov_heard_unknown_word(heard);
    (void)pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &heard->sentence, "START",
                         0, true);
    int at = pov_chart_stuck_at(heard->chart);
    return at < heard->sentence.words.len ? heard->sentence.words.word[at] : NULL;
}

void pov_heard_write(char *text, size_t capacity, const pov_heard *heard, const pov_node *node)
{
    static const char *const shown[] = {
        "QUESTION", "INSTRUCTION", "GOAL",    "FRAGMENT", "REFUSED", "THING",        "SEER",
        "OTHER",    "NOUN",        "RELATUM", "WHOSE",    "SIDE",    "WANTED",       "OBJECT",
        "GOALREL",  "VIEW",        "EXTREME", "TARGET",   "POST",    "ALTERNATIVES", NULL};
    bool is_shown = false, inner = false;
    size_t length = strlen(text);
    for (int i = 0; shown[i]; i++)
        is_shown = is_shown || strcmp(shown[i], node->name) == 0;
    if (is_shown)
        length += (size_t)snprintf(text + length, length < capacity ? capacity - length : 0, "%s(%s",
                                   length ? " " : "", node->name);
    for (const pov_item *item = node->items; item; item = item->next) {
        if (item->kind == POV_ITEM_TAG && is_shown && length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, " %s",
                                       item->text[0] == '=' ? item->text + 1 : item->text);
        if (item->kind != POV_ITEM_NODE || length >= capacity)
            continue;
        size_t before = strlen(text);
        pov_heard_write(text, capacity, heard, item->node);
        length = strlen(text);
        inner = inner || length > before;
    }
    if (is_shown && !inner && length < capacity) {
        length += (size_t)snprintf(text + length, capacity - length, " \"");
        for (int i = node->begin; i < node->end && length < capacity; i++)
            length += (size_t)snprintf(text + length, capacity - length, "%s%s", i > node->begin ? " " : "",
                                       heard->sentence.words.word[i]);
        if (length < capacity)
            length += (size_t)snprintf(text + length, capacity - length, "\"");
    }
    if (is_shown && length < capacity)
        snprintf(text + length, capacity - length, ")");
}

const pov_node *pov_core_of(const pov_node *reading)
{
    for (const pov_item *item = reading->items; item; item = item->next)
        if (item->kind == POV_ITEM_NODE && strcmp(item->node->name, "CORE") == 0)
            return item->node->items->node;
    return reading;
}
