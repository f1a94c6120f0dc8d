#include "compare/log/log_pictures.h"

#include "compare/questions/prompt_condition.h"
#include "config/files/json_value.h"

#include <cJSON.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static const char *const keys[POV_PICTURE_PLACES][2] = {{"picture_path", "picture_sha256"},
                                                        {"second_path", "second_sha256"}};

void pov_log_picture_note(cJSON *columns, const pov_log_picture *picture, pov_picture_place place)
{
    cJSON_AddStringToObject(columns, keys[place][0], picture->path);
    cJSON_AddStringToObject(columns, keys[place][1], picture->sha256);
}

static void read_members(pov_log_picture *picture, const cJSON *columns, pov_picture_place place)
{
    snprintf(picture->path, sizeof picture->path, "%s", pov_json_text_of(columns, keys[place][0]));
    snprintf(picture->sha256, sizeof picture->sha256, "%s", pov_json_text_of(columns, keys[place][1]));
}

bool pov_log_picture_read(pov_log_picture *picture, const char *columns, pov_picture_place place)
{
    *picture = (pov_log_picture){.path = ""};
    if (!columns || !strstr(columns, keys[place][0])) /* most have none: they need not be parsed */
        return false;
    cJSON *root = pov_json_parse_text(columns);
    read_members(picture, root, place);
    cJSON_Delete(root);
    return picture->path[0] != '\0';
}

pov_status pov_log_each_picture(pov_answer_log *log, int64_t after, pov_log_take_picture *take, void *context)
{
    static const char sql[] =
        "SELECT DISTINCT json_extract(columns, '$.picture_path'), json_extract(columns, '$.picture_sha256')"
        " FROM questions WHERE image > ?1 AND columns LIKE '%\"picture_path\"%' UNION"
        " SELECT json_extract(columns, '$.second_path'), json_extract(columns, '$.second_sha256')"
        " FROM questions WHERE image > ?1 AND columns LIKE '%\"second_path\"%'";
    pov_log_file *file = pov_answer_log_file(log);
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(file->db, sql, -1, &s, NULL) != SQLITE_OK ||
        sqlite3_bind_int64(s, 1, after) != SQLITE_OK)
        return pov_log_complain(file, "cannot be read");
    pov_status status = pov_ok();
    int code = SQLITE_ROW;
    while (status.code == POV_OK && (code = sqlite3_step(s)) == SQLITE_ROW) {
        const char *path = pov_log_text_at(s, 0), *sha256 = pov_log_text_at(s, 1);
        pov_log_picture picture;
        snprintf(picture.path, sizeof picture.path, "%s", path ? path : "");
        snprintf(picture.sha256, sizeof picture.sha256, "%s", sha256 ? sha256 : "");
        status = take(context, &picture);
    }
    if (status.code == POV_OK && code != SQLITE_DONE)
        status = pov_log_complain(file, "cannot be read");
    sqlite3_finalize(s);
    return status;
}

bool pov_log_is_flipped(const char *key)
{
    return key && strstr(key, pov_prompt_condition_at(POV_PROMPT_CONDITION_FLIP, 1)->suffix) != NULL;
}

double pov_log_seen_deg(double angle_deg, const char *key)
{
    return pov_log_is_flipped(key) ? fmod(720 - angle_deg, 360) : angle_deg;
}
