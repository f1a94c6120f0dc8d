#include "calib/turntable/turn_angles.h"

#include "config/files/csv.h"
#include "config/files/read_file.h"
#include "perception/geometry/geom.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20 };

static bool read_number(double *value, const char *text)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && fabs(*value) <= 1e6;
}

static bool read_way(int *way, const char *text)
{
    *way = strcmp(text, "up") == 0 ? 1 : strcmp(text, "down") == 0 ? -1 : 0;
    return *way != 0 || !*text;
}

/* Counts the fields of a row; cuts a comment off. */
static int cut_comment(pov_csv *csv)
{
    for (int i = 0; i < csv->len; i++) {
        size_t length = strcspn(csv->fields[i], "#");
        const bool ends_here = csv->fields[i][length] != '\0';
        while (length > 0 && isspace((unsigned char)csv->fields[i][length - 1]))
            length--;
        csv->fields[i][length] = '\0';
        if (ends_here)
            return i == 0 && length == 0 ? 0 : i + 1;
    }
    return csv->len;
}

static pov_status read_row(pov_turn_angles *angles, pov_csv *csv)
{
    const char *file = csv->name, *const *fields = (const char *const *)csv->fields;
    const int number = csv->row_line, len = cut_comment(csv);
    double angle_deg;
    int way = 0;
    if (len == 0)
        return pov_ok();
    if (len < 2 || len > 3)
        return pov_error("%s:%d: expected NAME,DEGREES or NAME,DEGREES,WAY", file, number);
    if (!read_number(&angle_deg, fields[1]))
        return number == 1 && !isdigit((unsigned char)*fields[1])
                   ? pov_ok()
                   : pov_error("%s:%d: '%.40s' is not an angle in degrees", file, number, fields[1]);
    if (len == 3 && !read_way(&way, fields[2]))
        return pov_error("%s:%d: the way '%.40s' is not up, down or nothing", file, number, fields[2]);
    if (!*fields[0] || strlen(fields[0]) >= POV_IMAGE_NAME_CAPACITY)
        return pov_error("%s:%d: expected an image's name of at most %d bytes first", file, number,
                         POV_IMAGE_NAME_CAPACITY - 1);
    if (pov_turn_angles_find(angles, fields[0]))
        return pov_error("%s:%d: '%.80s' is there twice", file, number, fields[0]);
    if (angles->len == POV_TURN_ANGLES_MAX)
        return pov_error("%s:%d: more than %d images", file, number, POV_TURN_ANGLES_MAX);
    pov_turn_angle *angle = &angles->angles[angles->len++];
    *angle = (pov_turn_angle){.angle_rad = angle_deg * POV_DEG, .way = way};
    snprintf(angle->name, sizeof angle->name, "%s", fields[0]);
    return pov_ok();
}

pov_status pov_turn_angles_parse(pov_turn_angles *angles, const char *file, const char *text, size_t length)
{
    pov_csv csv;
    angles->len = 0;
    pov_status status = pov_csv_begin(&csv, file, text, length, true);
    while (status.code == POV_OK && (status = pov_csv_next(&csv)).code == POV_OK)
        status = read_row(angles, &csv);
    pov_csv_end(&csv);
    if (status.code == POV_END)
        status = angles->len > 0 ? pov_ok() : pov_error("%s: holds no line of NAME,DEGREES", file);
    if (status.code != POV_OK)
        angles->len = 0;
    return status;
}

pov_status pov_turn_angles_read(pov_turn_angles *angles, const char *path)
{
    pov_bytes bytes = {0};
    angles->len = 0;
    pov_status status = pov_read_file(&bytes, path, BYTES_MAX, "a CSV file of images and angles");
    POV_THEN(status, pov_turn_angles_parse(angles, path, (const char *)bytes.data, bytes.length));
    pov_bytes_free(&bytes);
    return status;
}

const pov_turn_angle *pov_turn_angles_find(const pov_turn_angles *angles, const char *name)
{
    for (int i = 0; i < angles->len; i++)
        if (strcmp(angles->angles[i].name, name) == 0)
            return &angles->angles[i];
    return NULL;
}

bool pov_turn_angle_in_name(double *angle_rad, const char *name)
{
    const char *dot = strrchr(name, '.'), *end = dot ? dot : name + strlen(name);
    while (end > name && !isdigit((unsigned char)end[-1]))
        end--;
    const char *begin = end;
    while (begin > name && (isdigit((unsigned char)begin[-1]) || begin[-1] == '.'))
        begin--;
    while (begin < end && *begin == '.')
        begin++;
    if (begin == end)
        return false;
    const bool minus = begin > name && begin[-1] == '-' && (begin == name + 1 || begin[-2] == '_');
    char digits[POV_IMAGE_NAME_CAPACITY];
    snprintf(digits, sizeof digits, "%.*s", (int)(end - begin), begin);
    double angle_deg;
    const bool good = read_number(&angle_deg, digits);
    *angle_rad = (minus ? -POV_DEG : POV_DEG) * angle_deg;
    return good;
}
