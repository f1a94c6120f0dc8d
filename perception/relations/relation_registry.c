#include "perception/relations/relation_registry.h"

#include "perception/relations/predicates/predicate_grade.h"
#include "perception/status.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum { PHRASE_CAPACITY = 64 };

int pov_relation_registry_len(void)
{
    return pov_relation_table_len;
}

const pov_relation_info *pov_relation_registry_at(int index)
{
    POV_REQUIRE(index >= 0 && index < pov_relation_table_len);
    return &pov_relation_table[index];
}

int pov_relation_registry_index(const pov_relation_info *relation)
{
    POV_REQUIRE(relation >= pov_relation_table && relation < pov_relation_table + pov_relation_table_len);
    return (int)(relation - pov_relation_table);
}

double pov_relation_truth(const pov_relation_info *relation, const pov_situation *situation,
                          const pov_predicate_params *params)
{
    POV_REQUIRE(!pov_is_spread(&situation->spread));
    pov_range truth = relation->evaluate(situation, params);
    if (relation->projective != POV_RELATION_COUNT)
        truth = pov_grade_and(truth, pov_grade_not(pov_grade_carried(situation, params)));
    return truth.low;
}

/* Lower case, single spaces for "_", "-" and blanks, none at the ends; cut at the capacity. */
static void plain_of(char plain[PHRASE_CAPACITY], const char *phrase)
{
    int len = 0;
    for (; *phrase && len < PHRASE_CAPACITY - 1; phrase++) {
        bool blank = isspace((unsigned char)*phrase) || *phrase == '_' || *phrase == '-';
        if (!blank)
            plain[len++] = (char)tolower((unsigned char)*phrase);
        else if (len > 0 && plain[len - 1] != ' ')
            plain[len++] = ' ';
    }
    while (len > 0 && plain[len - 1] == ' ')
        len--;
    plain[len] = '\0';
}

/* "is left of the" becomes "left of". */
static const char *bare_phrase(char plain[PHRASE_CAPACITY])
{
    size_t len = strlen(plain);
    if (len > 4 && strcmp(plain + len - 4, " the") == 0)
        plain[len - 4] = '\0';
    return strncmp(plain, "is ", 3) == 0 ? plain + 3 : plain;
}

static bool is_called(const pov_relation_info *relation, const char *plain)
{
    char name[PHRASE_CAPACITY];
    plain_of(name, relation->name);
    if (strcmp(name, plain) == 0)
        return true;
    for (int i = 0; i < POV_PHRASES_MAX && relation->phrases[i]; i++)
        if (strcmp(relation->phrases[i], plain) == 0)
            return true;
    return false;
}

const pov_relation_info *pov_relation_lookup(const char *name_or_phrase)
{
    char whole[PHRASE_CAPACITY], stripped[PHRASE_CAPACITY];
    plain_of(whole, name_or_phrase);
    plain_of(stripped, name_or_phrase);
    const char *inner = bare_phrase(stripped);
    for (int i = 0; i < pov_relation_table_len; i++)
        if (is_called(&pov_relation_table[i], whole) || is_called(&pov_relation_table[i], inner))
            return &pov_relation_table[i];
    return NULL;
}

static int smallest_of_three(int a, int b, int c)
{
    int least = a < b ? a : b;
    return least < c ? least : c;
}

static int count_edits(const char *a, const char *b)
{
    int row[PHRASE_CAPACITY + 1], b_len = (int)strlen(b);
    for (int j = 0; j <= b_len; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= b_len; j++) {
            int kept = row[j];
            row[j] = smallest_of_three(row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = kept;
        }
    }
    return row[b_len];
}

/* "left" of "left of". */
static void drop_preposition(char plain[PHRASE_CAPACITY])
{
    static const char *const endings[] = {" of", " to", " from", " than"};
    size_t len = strlen(plain);
    for (size_t i = 0; i < COUNT(endings); i++) {
        size_t ending = strlen(endings[i]);
        if (len > ending && strcmp(plain + len - ending, endings[i]) == 0)
            plain[len - ending] = '\0';
    }
}

/* Edits a letter; the preposition may be left out. */
static double unlikeness(const char *misspelt, const char *phrase)
{
    double least = INFINITY;
    char plain[PHRASE_CAPACITY];
    plain_of(plain, phrase);
    for (int i = 0; i < 2; i++) {
        size_t a = strlen(misspelt), b = strlen(plain), longer = a > b ? a : b;
        least = fmin(least, count_edits(misspelt, plain) / (double)(longer > 0 ? longer : 1));
        drop_preposition(plain);
    }
    return least;
}

const pov_relation_info *pov_relation_most_like(const char *misspelt)
{
    char plain[PHRASE_CAPACITY];
    plain_of(plain, misspelt);
    const pov_relation_info *best = &pov_relation_table[0];
    double least = INFINITY;
    for (int i = 0; i < pov_relation_table_len; i++) {
        const pov_relation_info *relation = &pov_relation_table[i];
        double unlike = unlikeness(plain, relation->name);
        for (int k = 0; k < POV_PHRASES_MAX && relation->phrases[k]; k++)
            unlike = fmin(unlike, unlikeness(plain, relation->phrases[k]));
        if (unlike < least) {
            least = unlike;
            best = relation;
        }
    }
    return best;
}

POV_ENUM_NAMES(pov_relation_name, pov_relation, POV_RELATION_COUNT, "left_of", "right_of", "in_front_of",
               "behind", "north_of", "east_of", "south_of", "west_of")

bool pov_relation_is_direction(const pov_relation_info *relation)
{
    return relation->projective != POV_RELATION_COUNT &&
           strcmp(relation->name, pov_relation_name(relation->projective)) == 0;
}

const pov_relation_info *pov_relation_info_of(pov_relation relation)
{
    POV_REQUIRE(relation < POV_RELATION_COUNT);
    const pov_relation_info *info = pov_relation_table;
    while (info->projective != relation || !pov_relation_is_direction(info))
        info++;
    return info;
}

POV_ENUM_NAMES(pov_category_name, pov_category, POV_CATEGORY_COUNT, "adjacency", "directional", "orientation",
               "projective", "proximity", "topological", "unallocated", "cardinal", "comparative")

POV_ENUM_NAMES(pov_frame_need_name, pov_frame_need, POV_FRAME_COUNT, "none", "axes", "north", "viewer")
