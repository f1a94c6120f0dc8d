#include "firmware/recording/station_files.h"

#include "firmware/gstreamer/gstreamer_source.h"

#include "config/yaml/yaml_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_CAPACITY = 1024 };

typedef struct {
    char folder[NAME_CAPACITY]; /* of the station file, with its last slash; "": here */
    char names[POV_STATION_FILES_MAX][NAME_CAPACITY];
    int len;
    int reading; /* the YAML file that is being looked through */
} file_list;

static void make_path(char path[2 * NAME_CAPACITY], const file_list *list, const char *name)
{
    snprintf(path, 2 * NAME_CAPACITY, "%s%s", *name == '/' ? "" : list->folder, name);
}

/* Relative names are relative to the file that names them. */
static void add_name(void *context, const char *key, const char *text)
{
    file_list *list = context;
    char name[NAME_CAPACITY], path[2 * NAME_CAPACITY];
    struct stat facts;
    const char *reading = list->names[list->reading], *slash = strrchr(reading, '/');
    const int folder = slash && *text != '/' ? (int)(slash + 1 - reading) : 0;
    if (!*text || strncmp(key, "vlm", 3) == 0 || strcmp(key, "camera.file") == 0 ||
        list->len == POV_STATION_FILES_MAX || (size_t)folder + strlen(text) >= sizeof name)
        return;
    snprintf(name, sizeof name, "%.*s%s", folder, reading, text);
    make_path(path, list, name);
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size == 0 ||
        facts.st_size > POV_STATION_FILE_BYTES_MAX)
        return;
    for (int i = 0; i < list->len; i++)
        if (strcmp(list->names[i], name) == 0)
            return;
    snprintf(list->names[list->len++], NAME_CAPACITY, "%s", name);
}

static bool is_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static pov_status visit_all(file_list *list, pov_station_file_visit *visit, void *context)
{
    pov_bytes bytes = {0};
    pov_status status = pov_ok();
    for (int i = 0; i < list->len && status.code == POV_OK; i++) {
        char path[2 * NAME_CAPACITY];
        pov_yaml_file *file;
        make_path(path, list, list->names[i]);
        status = pov_read_file(&bytes, path, POV_STATION_FILE_BYTES_MAX, "a file of the station");
        if (status.code == POV_OK && i == 0)
            bytes.length = pov_credentials_hide((char *)bytes.data, bytes.length);
        POV_THEN(status, visit(context, list->names[i], &bytes));
        list->reading = i;
        if (status.code != POV_OK || !is_yaml(list->names[i]))
            continue;
        /* a file that is no YAML names nothing */
        if (pov_yaml_parse(&file, path, (const char *)bytes.data, bytes.length).code == POV_OK) {
            pov_yaml_each_text(file, add_name, list);
            pov_yaml_close(&file);
        }
    }
    pov_bytes_free(&bytes);
    return status;
}

pov_status pov_station_files(const char *station, pov_station_file_visit *visit, void *context)
{
    file_list *list = calloc(1, sizeof *list);
    const char *slash = strrchr(station, '/');
    if (!list)
        return pov_error("%s: out of memory", station);
    snprintf(list->folder, sizeof list->folder, "%.*s", slash ? (int)(slash + 1 - station) : 0, station);
    snprintf(list->names[list->len++], NAME_CAPACITY, "%s", slash ? slash + 1 : station);
    const pov_status status = visit_all(list, visit, context);
    free(list);
    return status;
}
