#include "compare/scores/comfort_data_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

pov_status pov_comfort_data_start(pov_comfort_data **data)
{
    pov_status status = pov_error("out of memory");
    *data = calloc(1, sizeof **data);
    if (*data)
        status = pov_name_set_new(&(*data)->names);
    if (status.code == POV_OK)
        status = pov_name_set_new(&(*data)->scene_keys);
    if (status.code == POV_OK)
        status = pov_name_set_new(&(*data)->curve_keys);
    if (status.code == POV_OK)
        status = pov_name_set_new(&(*data)->group_keys);
    if (status.code == POV_OK)
        status = pov_name_set_new(&(*data)->presence_keys);
    if (status.code != POV_OK)
        pov_comfort_data_destroy(data);
    return status;
}

void pov_comfort_data_destroy(pov_comfort_data **data)
{
    if (!*data)
        return;
    pov_name_set_destroy(&(*data)->names);
    pov_name_set_destroy(&(*data)->scene_keys);
    pov_name_set_destroy(&(*data)->curve_keys);
    pov_name_set_destroy(&(*data)->group_keys);
    pov_name_set_destroy(&(*data)->presence_keys);
    free((*data)->curves);
    free((*data)->group_of);
    free((*data)->row);
    free((*data)->groups);
    free((*data)->presences);
    free(*data);
    *data = NULL;
}

/* ---- gathering ---- */

pov_status pov_comfort_data_name(pov_comfort_data *data, int *number, const char *name)
{
    return pov_name_set_add(data->names, number, name, strlen(name));
}

pov_status pov_comfort_data_scene(pov_comfort_data *data, int *scene, const char *name, pov_facings facings)
{
    int number;
    POV_TRY(pov_comfort_data_name(data, &number, name));
    const double key[3] = {number, facings.addressee_deg, facings.relatum_deg};
    return pov_name_set_add(data->scene_keys, scene, key, sizeof key);
}

/* Makes room for one more; false if out of memory. */
static bool grow(void *array, int *capacity, int len, size_t size)
{
    if (len < *capacity)
        return true;
    int more = *capacity ? 2 * *capacity : 64;
    void *grown = realloc(*(void **)array, (size_t)more * size);
    if (!grown)
        return false;
    *(void **)array = grown;
    *capacity = more;
    return true;
}

static bool grow_curves(pov_comfort_data *data, int len)
{
    int capacities[3] = {data->curves_capacity, data->curves_capacity, data->curves_capacity};
    bool grown = grow(&data->curves, &capacities[0], len, sizeof *data->curves) &&
                 grow(&data->group_of, &capacities[1], len, sizeof *data->group_of) &&
                 grow(&data->row, &capacities[2], len, sizeof *data->row);
    if (grown)
        data->curves_capacity = capacities[0];
    return grown;
}

static pov_status need_group(pov_comfort_data *data, int *group, const pov_curve_key *key)
{
    const int group_key[] = {key->model, key->language, key->has_front, key->prompt};
    int len = pov_name_set_len(data->group_keys);
    POV_TRY(pov_name_set_add(data->group_keys, group, group_key, sizeof group_key));
    if (*group < len)
        return pov_ok();
    if (!grow(&data->groups, &data->groups_capacity, len, sizeof *data->groups))
        return pov_error("out of memory for %d groups", len);
    data->groups[len] = (pov_comfort_group){.has_front = key->has_front, .prompt = (pov_prompt)key->prompt};
    return pov_ok();
}

pov_status pov_comfort_data_curve(pov_comfort_data *data, int *curve, const pov_curve_key *key,
                                  pov_facings facings)
{
    int len = pov_name_set_len(data->curve_keys);
    POV_TRY(pov_name_set_add(data->curve_keys, curve, key, sizeof *key));
    if (*curve < len)
        return pov_ok();
    if (!grow_curves(data, len))
        return pov_error("out of memory for %d curves", len);
    POV_TRY(need_group(data, &data->group_of[len], key));
    data->curves[len] = (pov_comfort_curve){.scene = key->scene,
                                            .variant = key->variant,
                                            .relation = (pov_relation)key->relation,
                                            .facings = facings};
    data->curves[len].curve.repeat = NAN;
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        data->curves[len].curve.p[i] = NAN;
    memset(data->row[len], 0, sizeof data->row[len]);
    return pov_ok();
}

pov_status pov_comfort_data_presence_of(pov_comfort_data *data, pov_presence_group **found, int model,
                                        int language, bool has_front)
{
    const int key[] = {model, language, has_front};
    int group, len = pov_name_set_len(data->presence_keys);
    POV_TRY(pov_name_set_add(data->presence_keys, &group, key, sizeof key));
    if (group == len) {
        if (!grow(&data->presences, &data->presences_capacity, len, sizeof *data->presences))
            return pov_error("out of memory for %d groups", len);
        data->presences[len] = (pov_presence_group){.has_front = has_front};
    }
    *found = &data->presences[group];
    return pov_ok();
}

/* ---- putting in order ---- */

static const char *name_of(const pov_comfort_data *data, const pov_name_set *keys, int key, int part)
{
    int parts[2];
    memcpy(parts, pov_name_set_at(keys, key), sizeof parts); /* model, language */
    return pov_name_set_at(data->names, parts[part]);
}

pov_status pov_comfort_data_finish(pov_comfort_data *data)
{
    int len = pov_comfort_data_len(data), groups = pov_name_set_len(data->group_keys), first = 0;
    pov_comfort_curve *together = calloc((size_t)len + 1, sizeof *together);
    int(*rows)[POV_CURVE_SAMPLES] = calloc((size_t)len + 1, sizeof *rows);
    if (!together || !rows) {
        free(together);
        free(rows);
        return pov_error("out of memory for %d curves", len);
    }
    for (int i = 0; i < len; i++)
        data->groups[data->group_of[i]].len++;
    for (int g = 0; g < groups; g++) {
        pov_comfort_group *group = &data->groups[g];
        group->first = first;
        first += group->len;
        group->len = 0;
        group->model = name_of(data, data->group_keys, g, 0);
        group->language = name_of(data, data->group_keys, g, 1);
    }
    for (int i = 0; i < len; i++) {
        pov_comfort_group *group = &data->groups[data->group_of[i]];
        int place = group->first + group->len++;
        together[place] = data->curves[i];
        memcpy(rows[place], data->row[i], sizeof rows[place]);
    }
    for (int g = 0; g < pov_name_set_len(data->presence_keys); g++) {
        data->presences[g].model = name_of(data, data->presence_keys, g, 0);
        data->presences[g].language = name_of(data, data->presence_keys, g, 1);
    }
    free(data->curves);
    free(data->row);
    data->curves = together;
    data->row = rows;
    return pov_ok();
}

/* ---- looking ---- */

int pov_comfort_data_groups(const pov_comfort_data *data)
{
    return pov_name_set_len(data->group_keys);
}

const pov_comfort_group *pov_comfort_data_group(const pov_comfort_data *data, int group)
{
    POV_REQUIRE(group >= 0 && group < pov_comfort_data_groups(data));
    return &data->groups[group];
}

int pov_comfort_data_presences(const pov_comfort_data *data)
{
    return pov_name_set_len(data->presence_keys);
}

const pov_presence_group *pov_comfort_data_presence(const pov_comfort_data *data, int group)
{
    POV_REQUIRE(group >= 0 && group < pov_comfort_data_presences(data));
    return &data->presences[group];
}

const pov_presence_group *pov_comfort_data_presence_for(const pov_comfort_data *data, int group)
{
    /* The keys of both begin with model, language, has_front. */
    const int presence =
        pov_name_set_find(data->presence_keys, pov_name_set_at(data->group_keys, group), 3 * sizeof(int));
    return presence < 0 ? NULL : &data->presences[presence];
}

const pov_comfort_curve *pov_comfort_data_curves(const pov_comfort_data *data)
{
    return data->curves;
}

int pov_comfort_data_len(const pov_comfort_data *data)
{
    return pov_name_set_len(data->curve_keys);
}

int pov_comfort_data_row(const pov_comfort_data *data, int curve, int sample)
{
    POV_REQUIRE(curve >= 0 && curve < pov_comfort_data_len(data) && sample >= 0 &&
                sample < POV_CURVE_SAMPLES);
    return data->row[curve][sample] - 1;
}
