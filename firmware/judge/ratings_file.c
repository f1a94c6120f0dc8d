#include "firmware/judge/ratings_file.h"

#include "config/files/read_file.h"
#include "perception/geometry/geom.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20, ANGLE = 0, RATING, DISTANCE, COLUMNS };

static const char *const column_names[COLUMNS] = {"angle_deg", "rating", "distance_m"};

/* Where reading is, and where each column stands; -1: not in the file. */
typedef struct {
    const char *path;
    char *rest;
    int line, place[COLUMNS];
    double low, high;
} reader;

/* The next line that holds something, cut at its end; NULL at the end of the file. */
static char *next_line(reader *r)
{
    while (r->rest && *r->rest) {
        char *line = r->rest, *end = strpbrk(line, "\n");
        r->rest = end ? end + 1 : NULL;
        r->line++;
        line[strcspn(line, "\r\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0' && line[0] != '#')
            return line;
    }
    return NULL;
}

/* The next field, without spaces and quotes around it; NULL after the last. */
static char *next_field(char **line)
{
    char *field = strsep(line, ",;\t");
    if (!field)
        return NULL;
    field += strspn(field, " \"");
    for (size_t length = strlen(field); length > 0 && strchr(" \"", field[length - 1]); length--)
        field[length - 1] = '\0';
    return field;
}

static pov_status read_header(reader *r)
{
    char *line = next_line(r), *field;
    for (int c = 0; c < COLUMNS; c++)
        r->place[c] = -1;
    if (line && strncmp(line, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        line += 3;
    for (int i = 0; line && (field = next_field(&line)); i++)
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(field, column_names[c]) == 0)
                r->place[c] = i;
    for (int c = 0; c < DISTANCE; c++)
        if (r->place[c] < 0)
            return pov_error(
                "%s:%d: no column '%s'; the first line names the columns: angle_deg,rating[,distance_m]",
                r->path, r->line ? r->line : 1, column_names[c]);
    return pov_ok();
}

static pov_status read_number(double *value, const reader *r, int column, const char *field)
{
    char *end;
    *value = strtod(field, &end);
    if (*field == '\0' || *end != '\0' || !isfinite(*value))
        return pov_error("%s:%d: column %s: '%.40s' is not a number", r->path, r->line, column_names[column],
                         field);
    if (column == RATING && (*value < r->low || *value > r->high))
        return pov_error(
            "%s:%d: column rating: %g is not within %g to %g; say what scale it is: --scale LOW:HIGH",
            r->path, r->line, *value, r->low, r->high);
    if (column == DISTANCE && *value < 0)
        return pov_error("%s:%d: column distance_m: %g is negative", r->path, r->line, *value);
    return pov_ok();
}

static pov_status read_row(pov_rating *rating, const reader *r, char *line)
{
    double value[COLUMNS] = {NAN, NAN, 0};
    char *field;
    for (int i = 0; (field = next_field(&line)); i++)
        for (int c = 0; c < COLUMNS; c++)
            if (r->place[c] == i)
                POV_TRY(read_number(&value[c], r, c, field));
    for (int c = 0; c < COLUMNS; c++)
        if (isnan(value[c]) || (c == DISTANCE && r->place[c] >= 0 && !isfinite(value[c])))
            return pov_error("%s:%d: column %s: missing", r->path, r->line, column_names[c]);
    *rating = (pov_rating){pov_angle_wrap(value[ANGLE] * (POV_PI / 180)), value[DISTANCE],
                           (value[RATING] - r->low) / (r->high - r->low)};
    return pov_ok();
}

static int count_lines(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static pov_status read_rows(pov_ratings *ratings, reader *r)
{
    POV_TRY(read_header(r));
    ratings->has_distance = r->place[DISTANCE] >= 0;
    for (char *line; (line = next_line(r));)
        POV_TRY(read_row(&ratings->ratings[ratings->len++], r, line));
    return pov_ok();
}

pov_status pov_ratings_read(pov_ratings *ratings, const char *path, double low, double high)
{
    pov_bytes bytes = {0};
    *ratings = (pov_ratings){NULL, 0, false};
    POV_TRY(pov_read_file(&bytes, path, BYTES_MAX, "a file of ratings"));
    reader r = {.path = path, .rest = (char *)bytes.data, .low = low, .high = high};
    ratings->ratings = calloc((size_t)count_lines(r.rest), sizeof *ratings->ratings);
    pov_status status = ratings->ratings ? read_rows(ratings, &r) : pov_error("%s: out of memory", path);
    pov_bytes_free(&bytes);
    if (status.code != POV_OK)
        pov_ratings_free(ratings);
    return status;
}

void pov_ratings_free(pov_ratings *ratings)
{
    free(ratings->ratings);
    *ratings = (pov_ratings){NULL, 0, false};
}
