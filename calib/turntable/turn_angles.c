#include "calib/turntable/turn_angles.h"

#include "config/files/read_file.h"
#include "perception/geometry/geom.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_CAPACITY = 512, BYTES_MAX = 1 << 20 };

static const double deg = POV_PI / 180;

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* Cuts a line at its commas; returns how many fields there are. */
static int split(char *fields[3], char *line)
{
    int len = 0;
    for (char *at = line; at; len++) {
        char *comma = strchr(at, ',');
        if (comma)
            *comma++ = '\0';
        if (len < 3)
            fields[len] = trim(at);
        at = comma;
    }
    return len;
}

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

static pov_status read_line(pov_turn_angles *angles, const char *file, int number, char *line)
{
    char none[] = "", *fields[3] = {none, none, none};
    double angle_deg;
    int way = 0;
    line[strcspn(line, "#")] = '\0';
    if (!*trim(line))
        return pov_ok();
    const int len = split(fields, line);
    if (len < 2 || len > 3)
        return pov_error("%s:%d: expected NAME,DEGREES or NAME,DEGREES,WAY", file, number);
    if (!read_number(&angle_deg, fields[1]))
        return number == 1 && !isdigit((unsigned char)*fields[1])
                   ? pov_ok()
                   : pov_error("%s:%d: '%.40s' is not an angle in degrees", file, number, fields[1]);
    if (!read_way(&way, fields[2]))
        return pov_error("%s:%d: the way '%.40s' is not up, down or nothing", file, number, fields[2]);
    if (!*fields[0] || strlen(fields[0]) >= POV_IMAGE_NAME_CAPACITY)
        return pov_error("%s:%d: expected an image's name of at most %d bytes first", file, number,
                         POV_IMAGE_NAME_CAPACITY - 1);
    if (pov_turn_angles_find(angles, fields[0]))
        return pov_error("%s:%d: '%.80s' is there twice", file, number, fields[0]);
    if (angles->len == POV_TURN_ANGLES_MAX)
        return pov_error("%s:%d: more than %d images", file, number, POV_TURN_ANGLES_MAX);
    pov_turn_angle *angle = &angles->angles[angles->len++];
    *angle = (pov_turn_angle){.angle_rad = angle_deg * deg, .way = way};
    snprintf(angle->name, sizeof angle->name, "%s", fields[0]);
    return pov_ok();
}

static pov_status parse(pov_turn_angles *angles, const char *file, const char *text, size_t length)
{
    int number = 1;
    for (size_t at = 0; at < length; number++) {
        const char *end = memchr(text + at, '\n', length - at);
        const size_t size = end ? (size_t)(end - text) - at : length - at;
        char line[LINE_CAPACITY];
        if (size >= sizeof line)
            return pov_error("%s:%d: a line of more than %d bytes", file, number, LINE_CAPACITY - 1);
        memcpy(line, text + at, size);
        line[size] = '\0';
        POV_TRY(read_line(angles, file, number, line));
        at += size + 1;
    }
    return angles->len > 0 ? pov_ok() : pov_error("%s: holds no line of NAME,DEGREES", file);
}

pov_status pov_turn_angles_parse(pov_turn_angles *angles, const char *file, const char *text, size_t length)
{
    angles->len = 0;
    const pov_status status = parse(angles, file, text, length);
    if (status.code != POV_OK)
        angles->len = 0;
    return status;
}

pov_status pov_turn_angles_read(pov_turn_angles *angles, const char *path)
{
    pov_bytes bytes = {0};
    angles->len = 0;
    pov_status status = pov_read_file(&bytes, path, BYTES_MAX, "a CSV file of images and angles");
    if (status.code == POV_OK)
        status = pov_turn_angles_parse(angles, path, (const char *)bytes.data, bytes.length);
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
    *angle_rad = (minus ? -deg : deg) * angle_deg;
    return good;
}
