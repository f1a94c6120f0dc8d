#include "config/files/nearest_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { WORD_MAX = 48 };

static int least_of(int a, int b, int c)
{
    int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: insert, delete, replace or swap neighbours (Damerau 1964), upper and lower case
 * alike. */
static int edit_distance(const char *a, int a_length, const char *b, int b_length)
{
    int table[WORD_MAX + 1][WORD_MAX + 1];
    for (int i = 0; i <= a_length; i++)
        for (int j = 0; j <= b_length; j++) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
                continue;
            }
            int replace = table[i - 1][j - 1] + !same_letter(a[i - 1], b[j - 1]);
            table[i][j] = least_of(table[i - 1][j] + 1, table[i][j - 1] + 1, replace);
            bool swapped =
                i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
            if (swapped && table[i - 2][j - 2] + 1 < table[i][j])
                table[i][j] = table[i - 2][j - 2] + 1;
        }
    return table[a_length][b_length];
}

const char *pov_nearest_name(const char *word, const char *const names[], int count)
{
    int length = (int)strnlen(word, WORD_MAX + 1);
    if (length > WORD_MAX)
        return NULL;
    int nearest = 1 + length / 4; /* one slip in a short word, a few in a long one */
    const char *found = NULL;
    for (int i = 0; i < count; i++) {
        int name_length = (int)strnlen(names[i], WORD_MAX + 1);
        if (name_length > WORD_MAX)
            continue;
        int distance = edit_distance(word, length, names[i], name_length);
        bool alike = distance < length && distance < name_length;
        if (alike && distance < nearest + !found) {
            nearest = distance;
            found = names[i];
        }
    }
    return found;
}
