#include "config/scene/ratings_file.h"

#include "config/files/csv.h"
#include "config/files/read_file.h"
#include "perception/geometry/geom.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20, ANGLE = 0, RATING, DISTANCE, COLUMNS };

static const char *const column_names[COLUMNS] = {"angle_deg", "rating", "distance_m"};

typedef struct {
    pov_csv csv;
    int place[COLUMNS]; /* of each column; -1: not in the file */
    double low, high;
} reader;

static pov_status read_header(reader *r)
{
    const pov_status status = pov_csv_next(&r->csv);
    if (status.code == POV_ERROR)
        return status;
    for (int c = 0; c < COLUMNS; c++)
        r->place[c] = -1;
    for (int i = 0; i < r->csv.len; i++)
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(r->csv.fields[i], column_names[c]) == 0)
                r->place[c] = i;
    for (int c = 0; c < DISTANCE; c++)
        if (r->place[c] < 0)
            return pov_error(
                "%s:%d: no column '%s'; the first line names the columns: angle_deg,rating[,distance_m]",
                r->csv.name, r->csv.len > 0 ? r->csv.row_line : 1, column_names[c]);
    return pov_ok();
}

static pov_status read_number(double *value, const reader *r, int column, const char *field)
{
    char *end;
    *value = strtod(field, &end);
    if (*field == '\0' || *end != '\0' || !isfinite(*value))
        return pov_error("%s:%d: column %s: '%.40s' is not a number", r->csv.name, r->csv.row_line,
                         column_names[column], field);
    if (column == RATING && (*value < r->low || *value > r->high))
        return pov_error(
            "%s:%d: column rating: %g is not within %g to %g; say what scale it is: --scale LOW:HIGH",
            r->csv.name, r->csv.row_line, *value, r->low, r->high);
    if (column == DISTANCE && *value < 0)
        return pov_error("%s:%d: column distance_m: %g is negative", r->csv.name, r->csv.row_line, *value);
    return pov_ok();
}

static pov_status read_row(pov_rating *rating, const reader *r)
{
    double value[COLUMNS] = {NAN, NAN, 0};
    for (int c = 0; c < COLUMNS; c++)
        if (r->place[c] >= r->csv.len)
            return pov_error("%s:%d: column %s: missing", r->csv.name, r->csv.row_line, column_names[c]);
        else if (r->place[c] >= 0)
            POV_TRY(read_number(&value[c], r, c, r->csv.fields[r->place[c]]));
    *rating = (pov_rating){pov_angle_wrap(value[ANGLE] * POV_DEG), value[DISTANCE],
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
    pov_status status;
    while ((status = pov_csv_next(&r->csv)).code == POV_OK)
        POV_TRY(read_row(&ratings->ratings[ratings->len++], r));
    return status.code == POV_END ? pov_ok() : status;
}

pov_status pov_ratings_read(pov_ratings *ratings, const char *path, double low, double high)
{
    pov_bytes bytes = {0};
    *ratings = (pov_ratings){NULL, 0, false};
    POV_TRY(pov_read_file(&bytes, path, BYTES_MAX, "a file of ratings"));
    reader r = {.low = low, .high = high};
    pov_status status = pov_csv_begin(&r.csv, path, (const char *)bytes.data, bytes.length, true);
    ratings->ratings = pov_allocate((size_t)count_lines((const char *)bytes.data), sizeof *ratings->ratings);
    POV_THEN(status, read_rows(ratings, &r));
    pov_csv_end(&r.csv);
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
