/* Reads an utterance: its language, its slips, its grammar. */
#include "ask/talk/talk_internal.h"
#include "config/files/utf8.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* A slip in the language that was spoken last is likelier than a slip in another. Chosen. */
enum { OTHER_LANGUAGE_COST = 4 };
/* The cost of a language that knows the words, but has no reading of them: dearer than any reading. */
enum { NO_READING_COST = 1000 };
/* Longer utterances are not taken apart: their parts would be read once for each pair of places. Chosen: two long sentences. */
enum { PARTED_WORDS_MAX = 32 };
/* Letters of words that may be slips: languages that know so many fewer of them than the best are not tried. Chosen: a word or two. */
enum { SLIPPED_LETTERS = 8, UNREADABLE = 1 << 20 };

/* Moves a viewpoint that stands between pauses to the end: "is the ball, as anna sees it, left of the car". */
static int read_around_view(pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT])
{
    pov_sentence whole = heard->sentence;
    for (int at = 1; at < whole.words.len && whole.words.len <= PARTED_WORDS_MAX; at++) {
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

/* Reads the words before `kept`, and those from `end` on. */
static int read_spliced(pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT], const pov_sentence *whole,
                        int kept, int end)
{
    heard->sentence = *whole;
    pov_sentence_cut(&heard->sentence, kept, end - kept);
    heard->sentence.words.paused[kept] = false;
    const int len = pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &heard->sentence,
                                   "START", 0, true);
    return len > 0 && nodes[0]->cost < POV_UNKNOWN_COST ? len : 0;
}

/* "the apple, no wait, the banana": what stands behind a repair takes the place of the end of what stands before it. Speakers retrace to
 * the word with which the repair begins (Levelt 1983), or else as little as possible. */
static int read_repaired(pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT])
{
    const pov_sentence whole = heard->sentence;
    for (int at = 1; at < whole.words.len && whole.words.len <= PARTED_WORDS_MAX; at++) {
        if (pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &whole, "REPAIR", at,
                           false) == 0)
            continue;
        const int end = nodes[0]->end;
        for (int pass = 0; pass < 2; pass++)
            for (int kept = at - 1; kept >= 0 && end < whole.words.len; kept--) {
                const bool retraced = strcmp(whole.words.word[kept], whole.words.word[end]) == 0;
                const int len = pass == 1 || retraced ? read_spliced(heard, nodes, &whole, kept, end) : 0;
                if (len > 0)
                    return len;
            }
    }
    heard->sentence = whole;
    return 0;
}

/* Do the words [at, end) instruct, about a thing that is named at `named` or behind it? Out: whether they tell to whom. */
static bool is_step(pov_heard *heard, pov_chart *spare, const pov_sentence *whole, int at, int end, int named,
                    bool *whom)
{
    const pov_node *nodes[POV_READINGS_KEPT];
    pov_sentence part = *whole;
    pov_sentence_cut(&part, end, whole->words.len - end);
    pov_sentence_cut(&part, 0, at);
    part.words.paused[0] = false;
    if (part.words.len == 0 ||
        pov_chart_read(spare, nodes, heard->grammar, &heard->vocabulary, &part, "START", 0, true) == 0)
        return false;
    const pov_node *core = pov_core_of(nodes[0]), *thing = pov_node_find(core, "WANTED");
    const char *name = core->name;
    *whom = pov_node_find(core, "TOWHOM") != NULL;
    if (!thing)
        thing = pov_node_find(core, "OBJECT") ? pov_node_find(core, "OBJECT") : pov_node_find(core, "EACH1");
    return (named <= at || (thing && at + thing->begin >= named)) && nodes[0]->cost < POV_UNKNOWN_COST &&
           (strcmp(name, "INSTRUCTION") == 0 || strcmp(name, "GOAL") == 0);
}

/* The words of the first step that the second leaves out: "bring the apple to me and the banana to bob" brings both (gapping). Returns
 * where they end; `from`: where they begin; equal: none; `verb_end`: where the verb ends, behind which it may be told to whom. */
static int find_left_out(int *from, int *verb_end, pov_heard *heard, pov_chart *spare,
                         const pov_sentence *whole, int end)
{
    const pov_node *nodes[POV_READINGS_KEPT];
    pov_sentence part = *whole;
    *from = 0;
    pov_sentence_cut(&part, end, whole->words.len - end);
    if (pov_chart_read(spare, nodes, heard->grammar, &heard->vocabulary, &part, "START", 0, true) == 0)
        return 0;
    const pov_node *core = pov_core_of(nodes[0]), *verb = pov_node_find(core, "VERB"),
                   *wanted = pov_node_find(core, "WANTED");
    if (!verb || !wanted)
        verb = pov_node_find(core, "PUT"), wanted = pov_node_find(core, "OBJECT");
    if (!verb || !wanted || wanted->begin <= verb->begin)
        return 0;
    *from = verb->begin;
    *verb_end = verb->end;
    return wanted->begin;
}

/* Counts the words from `next` on that make a step of their own, where [from, to) stands before them; 0: none do. */
static int count_step_words(pov_heard *heard, pov_chart *spare, const pov_sentence *whole, int from, int to,
                            int next, bool *whom)
{
    pov_sentence part = *whole;
    pov_sentence_cut(&part, to, next - to);
    part.words.paused[to] = false;
    for (int end = part.words.len; end > to; end--)
        if (is_step(heard, spare, &part, from, end, to, whom))
            return end - to;
    return 0;
}

static void join_words(pov_text *text, const pov_words *words, int at, int end)
{
    for (int i = at; i < end; i++)
        pov_text_add(text, "%s%s", i == at ? "" : words->paused[i] ? ", " : " ", words->word[i]);
}

/* Adds to `rest` the words that the step at `next` leaves out. */
static void join_left_out(pov_text *rest, pov_heard *heard, pov_chart *spare, const pov_sentence *whole,
                          int at, int next)
{
    int from, verb_end = 0;
    const int to = find_left_out(&from, &verb_end, heard, spare, whole, at);
    if (from >= to || to > at)
        return;
    bool whom = false, ignored;
    const int by_verb = count_step_words(heard, spare, whole, from, verb_end, next, &whom),
              with_whom = count_step_words(heard, spare, whole, from, to, next, &ignored);
    if (with_whom == 0 && by_verb == 0)
        return;
    join_words(rest, &whole->words, from, with_whom > by_verb || (with_whom > 0 && !whom) ? to : verb_end);
    pov_text_add(rest, " ");
}

bool pov_heard_split(pov_heard *heard, pov_chart *spare, pov_text *rest)
{
    const pov_sentence whole = heard->sentence;
    const pov_node *nodes[POV_READINGS_KEPT];
    bool whom;
    for (int at = 1; at < whole.words.len && whole.words.len <= PARTED_WORDS_MAX; at++) {
        const bool joined =
            pov_chart_read(spare, nodes, heard->grammar, &heard->vocabulary, &whole, "STEP", at, false) > 0;
        const int next = joined ? nodes[0]->end : at;
        if ((!joined && !whole.words.paused[at]) || next >= whole.words.len ||
            !is_step(heard, spare, &whole, 0, at, 0, &whom))
            continue;
        pov_text first = {0};
        join_words(&first, &whole.words, 0, at);
        if (!count_step_words(heard, spare, &whole, next, next, next, &whom))
            join_left_out(rest, heard, spare, &whole, at, next);
        join_words(rest, &whole.words, next, whole.words.len);
        const bool fits = pov_text_fits(heard->text, sizeof heard->text, pov_text_of(&first));
        pov_text_free(&first);
        return fits;
    }
    return false;
}

const pov_lexicon *pov_talk_lexicon(pov_talk *talk, const pov_scene *scene, const pov_grammar *language)
{
    int i = 0;
    while (i + 1 < talk->language_len && talk->language[i] != language)
        i++;
    pov_lexicon_read(&talk->lexicon[i], scene, talk->language[i]);
    return &talk->lexicon[i];
}

/* Letters of words that neither the language nor the scene has, nor any like them. */
static int count_unknown(const pov_heard *heard)
{
    int letters = 0;
    for (int i = 0; i < heard->sentence.words.len; i++)
        if (heard->sentence.word[i].unknown && heard->sentence.word[i].len == 0 &&
            heard->sentence.word[i].noun_len == 0)
            letters +=
                (int)pov_utf8_count(heard->sentence.words.word[i], strlen(heard->sentence.words.word[i]));
    return letters;
}

/* Takes the text as words of a language. Out: letters of words that are not known; UNREADABLE: more words than there is room for, which the
 * letters of a language with blanks may be where a language without them is tried. */
static pov_status look_up_in(int *unknown, pov_heard *heard, pov_talk *talk, const pov_scene *scene,
                             int language, bool mends)
{
    const pov_lexicon *lexicon = pov_talk_lexicon(talk, scene, talk->language[language]);
    const pov_vocabulary *words = &lexicon->vocabulary;
    *unknown = UNREADABLE;
    if (lexicon->left_out > 0)
        return pov_error(
            "the scene has %d words for its things too many: at most %d in all, and %d for one thing; "
            "shorten words and about",
            lexicon->left_out, POV_VOCABULARY_MAX, POV_THING_WORDS_MAX);
    heard->vocabulary.len = words->len;
    memcpy(heard->vocabulary.word, words->word, (size_t)words->len * sizeof *words->word);
    memcpy(heard->vocabulary.several, words->several, (size_t)words->len * sizeof *words->several);
    heard->grammar = talk->language[language];
    const pov_status status =
        pov_sentence_read(&heard->sentence, heard->grammar, &heard->vocabulary, heard->text, mends);
    *unknown = status.code == POV_OK ? count_unknown(heard) : UNREADABLE;
    return status;
}

static int read_whole(pov_heard *heard, const pov_node *nodes[POV_READINGS_KEPT])
{
    int len = pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary, &heard->sentence,
                             "START", 0, true);
    if (len > 0 && nodes[0]->cost < POV_UNKNOWN_COST)
        return len;
    const bool reads = len > 0; /* with a word that nobody knows, or as a topic that is refused */
    if (!reads)
        len = read_around_view(heard, nodes);
    if (len == 0 || reads)
        len = read_repaired(heard, nodes);
    return len > 0 || !reads ? len
                             : pov_chart_read(heard->chart, nodes, heard->grammar, &heard->vocabulary,
                                              &heard->sentence, "START", 0, true);
}

/* The language that reads most cheaply, of those that know most of what was said; where slips are mended, also of those that know little
 * less, unless the language spoken last knows as much ("hmm" is no French of one slip). */
static void choose_language(int *chosen, pov_talk *talk, pov_heard *heard, const pov_scene *scene,
                            const int unknown[POV_LANGUAGES_MAX], bool mends)
{
    const pov_node *nodes[POV_READINGS_KEPT];
    int fewest = INT_MAX, least = INT_MAX, left;
    for (int i = 0; i < talk->language_len; i++)
        fewest = unknown[i] < fewest ? unknown[i] : fewest;
    *chosen = talk->spoken;
    for (int i = 0; i < talk->language_len; i++) {
        const bool spoken = i == talk->spoken;
        if (unknown[i] > fewest + (mends ? SLIPPED_LETTERS : 0) ||
            (mends && !spoken && unknown[i] >= unknown[talk->spoken]))
            continue;
        (void)look_up_in(&left, heard, talk, scene, i, mends);
        /* a sentence without blanks is no English of one word: letters that are not known count, too */
        const int read = read_whole(heard, nodes), cost = (read > 0 ? nodes[0]->cost : NO_READING_COST) +
                                                          left +
                                                          (spoken || (!mends && i == 0) ? 0
                                                           : mends                      ? OTHER_LANGUAGE_COST
                                                                                        : 1);
        if (cost < least) {
            least = cost;
            *chosen = i;
        }
    }
}

pov_status pov_heard_read(int *len, pov_talk *talk, pov_heard *heard, const pov_scene *scene,
                          const pov_node *nodes[POV_READINGS_KEPT])
{
    int unknown[POV_LANGUAGES_MAX], left, chosen = talk->spoken;
    *len = 0;
    if (look_up_in(&left, heard, talk, scene, chosen, false).code == POV_OK)
        *len = read_whole(heard, nodes);
    if (*len > 0 && nodes[0]->cost < POV_UNKNOWN_COST)
        return pov_ok();
    for (int i = 0; i < talk->language_len; i++)
        (void)look_up_in(&unknown[i], heard, talk, scene, i, false);
    for (int mends = 0; mends < 2; mends++) {
        choose_language(&chosen, talk, heard, scene, unknown, mends);
        POV_TRY(look_up_in(&left, heard, talk, scene, chosen, mends));
        *len = read_whole(heard, nodes);
        if (*len > 0 && nodes[0]->cost < POV_UNKNOWN_COST)
            return pov_ok();
    }
    return pov_ok();
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
