#include "firmware/station/station_models.h"
#include "config/files/nearest_name.h"

#include "config/models/model_file.h"
#include "perception/models/model_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read once to complain in time; they are read again, with their networks, when the station starts. */
static void check_contract(pov_model_file *file, pov_yaml_node node, const char *path, bool is_heading)
{
    if (pov_yaml_failed(node.file))
        return;
    const pov_status status = pov_model_file_read(file, path);
    if (status.code != POV_OK)
        pov_yaml_complain(node, "%s", status.message);
    else if (is_heading && file->contract.layout != POV_LAYOUT_HEADING)
        pov_yaml_complain(node, "layout %s %s; name a contract of layout heading",
                          pov_model_layout_name(file->contract.layout),
                          pov_model_finds(file->contract.layout) ? "finds things" : "tells depth");
    else if (!is_heading && !pov_model_finds(file->contract.layout))
        pov_yaml_complain(
            node, "layout %s finds nothing by itself%s", pov_model_layout_name(file->contract.layout),
            file->contract.layout == POV_LAYOUT_HEADING ? "; name it as the heading of a detector" : "");
}

static void read_model(pov_station_model *model, pov_yaml_node node)
{
    pov_yaml_node detector = pov_yaml_need(node, "contract", "what 'pov model check' wrote");
    pov_yaml_node heading = pov_yaml_get(node, "heading");
    pov_model_file *file = malloc(sizeof *file);
    if (!file) {
        pov_yaml_complain(node, "out of memory");
        return;
    }
    pov_yaml_relative_path(model->detector, sizeof model->detector, detector);
    check_contract(file, detector, model->detector, false);
    if (pov_yaml_exists(heading)) {
        pov_yaml_relative_path(model->heading, sizeof model->heading, heading);
        check_contract(file, heading, model->heading, true);
    }
    free(file);
}

void pov_station_models_read(pov_station_models *models, pov_yaml_node node)
{
    if (!pov_yaml_exists(node))
        return;
    pov_yaml_node detectors = pov_yaml_get(node, "detectors");
    pov_yaml_bool(&models->in_background, pov_yaml_get(node, "in_background"));
    const int len = pov_yaml_length(detectors);
    if (len > POV_MODEL_MAX)
        pov_yaml_complain(detectors, "at most %d detectors", POV_MODEL_MAX);
    for (int i = 0; i < len && !pov_yaml_failed(node.file); i++) {
        read_model(&models->models[i], pov_yaml_at(detectors, i));
        models->len = i + 1;
    }
}

/* Is it among the classes? Else the nearest of them so far is kept in `nearest`. */
static bool knows(const pov_model_contract *contract, const char *class_name, char nearest[POV_NAME_CAPACITY])
{
    const char *names[POV_MODEL_CLASS_MAX];
    for (int i = 0; i < contract->class_len; i++) {
        names[i] = contract->classes[i];
        if (strcmp(names[i], class_name) == 0)
            return true;
    }
    const char *near = pov_nearest_name(class_name, names, contract->class_len);
    if (near)
        strcpy(nearest, near);
    return false;
}

/* Does any find it? Out: nearest: the class that is called most like it, or "". */
static bool any_knows(const pov_station_models *models, const char *class_name,
                      char nearest[POV_NAME_CAPACITY])
{
    bool known = false;
    pov_model_file *file = malloc(sizeof *file);
    *nearest = '\0';
    for (int i = 0; file && i < models->len && !known; i++)
        known = pov_model_file_read(file, models->models[i].detector).code == POV_OK &&
                knows(&file->contract, class_name, nearest);
    free(file);
    return known;
}

static void check_class(const pov_station_models *models, const char *class_name, pov_yaml_node node)
{
    char nearest[POV_NAME_CAPACITY];
    if (!any_knows(models, class_name, nearest))
        pov_yaml_complain(node, "no detector of 'models' finds the class '%s'%s%s%s", class_name,
                          *nearest ? "; did you mean '" : "", nearest, *nearest ? "'?" : "");
}

void pov_station_models_check_cast(const pov_station_models *models, const pov_cast *cast, pov_yaml_node node)
{
    for (int i = 0; i < cast->len && !pov_yaml_failed(node.file); i++) {
        const pov_cast_member *member = &cast->members[i];
        if (member->found_by != POV_FOUND_BY_MODEL)
            continue;
        check_class(models, member->model.class_name, pov_yaml_at(node, i));
        for (int k = 0; k < i; k++)
            if (cast->members[k].found_by == POV_FOUND_BY_MODEL &&
                strcmp(cast->members[k].model.class_name, member->model.class_name) == 0)
                pov_yaml_complain(pov_yaml_at(node, i),
                                  "'%s' is found by the class '%s', too; give one entity with count: 2",
                                  cast->members[k].entity.name, member->model.class_name);
    }
}

void pov_station_models_find_people(const pov_station_models *models, pov_person_detector_config *people,
                                    pov_yaml_node cast)
{
    char nearest[POV_NAME_CAPACITY];
    if (pov_yaml_failed(cast.file))
        return;
    if (*people->network_class)
        check_class(models, people->network_class, cast);
    else if (any_knows(models, POV_PERSON_CLASS, nearest))
        snprintf(people->network_class, sizeof people->network_class, "%s", POV_PERSON_CLASS);
}
