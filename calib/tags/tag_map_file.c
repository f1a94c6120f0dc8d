#include "calib/tags/tag_map_file.h"

#include "config/yaml/yaml_file.h"
#include "perception/geometry/linalg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { TRIANGLE = 21, PANEL_MAX = 64 };

/* Number of tags of a family: `ncodes` of libapriltag 3.3's tag36h11.c and its siblings. */
static const int family_sizes[] = {[POV_TAG36H11] = 587,
                                   [POV_TAG36H10] = 2320,
                                   [POV_TAG25H9] = 35,
                                   [POV_TAG16H5] = 30,
                                   [POV_TAG_CIRCLE21H7] = 38,
                                   [POV_TAG_CIRCLE49H12] = 65535,
                                   [POV_TAG_CUSTOM48H12] = 42211,
                                   [POV_TAG_STANDARD41H12] = 2115,
                                   [POV_TAG_STANDARD52H13] = 48714};
static_assert(sizeof family_sizes / sizeof *family_sizes == POV_TAG_FAMILY_COUNT, "every family has a size");

/* Defaults for tags, from the top of the file. */
typedef struct {
    bool has_family;
    int family;
    double edge_m; /* NaN: not given */
} tag_defaults;

void pov_tag_family_read(int *family, pov_yaml_node node)
{
    const char *names[POV_TAG_FAMILY_COUNT];
    for (int i = 0; i < POV_TAG_FAMILY_COUNT; i++)
        names[i] = pov_tag_family_name((pov_tag_family)i);
    pov_yaml_choice(family, node, names, POV_TAG_FAMILY_COUNT);
}

/* R_table_tag of an upright tag: z horizontal, out of the face; y up; x = y cross z, the reader's right. */
static pov_rot upright_rotation(double faces_rad)
{
    double c = cos(faces_rad), s = sin(faces_rad);
    return (pov_rot){{{-s, 0, c}, {c, 0, s}, {0, 1, 0}}};
}

static void read_rotation(pov_rot *R, pov_yaml_node tag)
{
    pov_yaml_node rotation = pov_yaml_get(tag, "rotation"), yaw = pov_yaml_get(tag, "yaw_deg");
    pov_yaml_node faces = pov_yaml_get(tag, "faces_deg");
    double yaw_deg = 0, faces_deg = 0;
    int given = pov_yaml_exists(rotation) + pov_yaml_exists(yaw) + pov_yaml_exists(faces);
    if (given != 1)
        pov_yaml_complain(tag,
                          "gives %s of rotation, yaw_deg (lies face up) and faces_deg (stands upright); give "
                          "exactly one",
                          given ? "more than one" : "none");
    pov_yaml_rotation(R, rotation);
    pov_yaml_number(&yaw_deg, yaw, -360, 360);
    pov_yaml_number(&faces_deg, faces, -360, 360);
    if (pov_yaml_exists(yaw))
        *R = pov_rot_yaw(yaw_deg * POV_DEG);
    if (pov_yaml_exists(faces))
        *R = upright_rotation(faces_deg * POV_DEG);
}

static bool is_covariance(double cov[6][6])
{
    double values[6], vectors[36], least = INFINITY, most = 0;
    pov_symmetric_eigen(values, vectors, &cov[0][0], 6);
    for (int i = 0; i < 6; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    return least >= -1e-6 * most; /* rounding of the digits written */
}

void pov_tag_map_read_covariance(double cov[6][6], pov_yaml_node node)
{
    double numbers[TRIANGLE] = {0};
    pov_yaml_numbers(numbers, node, TRIANGLE, -100, 100);
    for (int i = 0, k = 0; i < 6; i++)
        for (int j = i; j < 6; j++)
            cov[i][j] = cov[j][i] = numbers[k++];
    if (!pov_yaml_failed(node.file) && !is_covariance(cov))
        pov_yaml_complain(node, "is not a covariance: it has a negative eigenvalue; give position_std_m and "
                                "rotation_std_deg instead");
}

/* Independent errors, alike in all directions, or all of it. */
static void read_uncertainty(pov_pose *pose, pov_yaml_node tag)
{
    double position_std_m = 0, rotation_std_deg = 0;
    pov_yaml_node position = pov_yaml_get(tag, "position_std_m"),
                  covariance = pov_yaml_get(tag, "covariance");
    pov_yaml_node rotation = pov_yaml_get(tag, "rotation_std_deg");
    if (pov_yaml_exists(covariance)) {
        if (pov_yaml_exists(position) || pov_yaml_exists(rotation))
            pov_yaml_complain(covariance, "says all; leave out position_std_m and rotation_std_deg");
        pov_tag_map_read_covariance(pose->cov, covariance);
        return;
    }
    pov_yaml_number(&position_std_m, position, 0, 10);
    pov_yaml_number(&rotation_std_deg, rotation, 0, 90);
    double rotation_std_rad = rotation_std_deg * POV_DEG;
    for (int i = 0; i < 3; i++) {
        pose->cov[i][i] = rotation_std_rad * rotation_std_rad;
        pose->cov[i + 3][i + 3] = position_std_m * position_std_m;
    }
}

static void read_edge(pov_tag_map_entry *entry, pov_yaml_node tag, double default_m)
{
    pov_yaml_node edge = pov_yaml_get(tag, "edge_m");
    entry->edge_m = default_m;
    pov_yaml_number(&entry->edge_m, edge, 0.001, 100);
    if (!pov_yaml_exists(edge) && isnan(default_m))
        pov_yaml_complain(tag, "has no edge_m; give it here, or once for all tags at the top of the file");
}

/* ---- panels ---- */

typedef struct {
    int len;
    pov_tag_panel panels[PANEL_MAX];
    int tags[PANEL_MAX]; /* on each */
} panel_list;

static void read_name(char name[POV_PANEL_NAME_CAPACITY], pov_yaml_node node)
{
    const char *text = "";
    pov_yaml_string(&text, node);
    if (!pov_yaml_failed(node.file) && (!*text || strlen(text) >= POV_PANEL_NAME_CAPACITY))
        pov_yaml_complain(node, "is not a panel's name: 1 to %d bytes", POV_PANEL_NAME_CAPACITY - 1);
    snprintf(name, POV_PANEL_NAME_CAPACITY, "%s", text);
}

static pov_tag_panel *find_panel(panel_list *list, const char *name)
{
    for (int i = 0; i < list->len; i++)
        if (strcmp(list->panels[i].name, name) == 0)
            return &list->panels[i];
    return NULL;
}

static void read_panels(panel_list *list, pov_yaml_node panels)
{
    const int len = pov_yaml_length(panels);
    if (len > PANEL_MAX)
        pov_yaml_complain(panels, "lists %d panels; at most %d are taken", len, PANEL_MAX);
    for (int i = 0; i < len && !pov_yaml_failed(panels.file); i++) {
        const pov_yaml_node node = pov_yaml_at(panels, i);
        pov_tag_panel panel = {.name = ""};
        double rotation_std_deg = 0;
        read_name(panel.name, pov_yaml_need(node, "id", "the panel's name, which its tags give as `panel`"));
        pov_yaml_number(&panel.position_std_m, pov_yaml_get(node, "position_std_m"), 0, 10);
        pov_yaml_number(&rotation_std_deg, pov_yaml_get(node, "rotation_std_deg"), 0, 90);
        panel.rotation_std_rad = rotation_std_deg * POV_DEG;
        if (find_panel(list, panel.name))
            pov_yaml_complain(node, "duplicate panel id '%s'; ids must be unique", panel.name);
        list->panels[list->len++] = panel;
    }
}

static void read_panel(pov_tag_map_entry *entry, pov_yaml_node tag, panel_list *panels)
{
    const pov_yaml_node node = pov_yaml_get(tag, "panel");
    char name[POV_PANEL_NAME_CAPACITY] = "";
    if (!pov_yaml_exists(node))
        return;
    read_name(name, node);
    const pov_tag_panel *panel = find_panel(panels, name);
    if (pov_yaml_failed(tag.file))
        return;
    if (!panel) {
        pov_yaml_complain(node, "'%s' is not listed in `panels`", name);
        return;
    }
    entry->panel = *panel;
}

/* A panel is tilted about the mean of its tags; each tag's covariance takes its share. */
static void place_panels(pov_tag_map *map, const panel_list *panels)
{
    for (int p = 0; p < panels->len; p++) {
        pov_vec3 sum = {0, 0, 0};
        int len = 0;
        for (int i = 0; i < map->len; i++)
            if (strcmp(map->tags[i].panel.name, panels->panels[p].name) == 0) {
                sum = pov_vec3_add(sum, map->tags[i].T_table_tag.T.t_m);
                len++;
            }
        for (int i = 0; i < map->len; i++) {
            double share[6][6];
            pov_tag_map_entry *entry = &map->tags[i];
            if (strcmp(entry->panel.name, panels->panels[p].name) != 0)
                continue;
            entry->panel.middle_m = pov_vec3_scale(sum, 1.0 / len);
            pov_tag_panel_share(share, entry);
            for (int k = 0; k < 36; k++)
                entry->T_table_tag.cov[k / 6][k % 6] += share[k / 6][k % 6];
        }
    }
}

static void read_tag(pov_tag_map_entry *entry, pov_yaml_node tag, const tag_defaults *defaults)
{
    int family = defaults->family;
    pov_yaml_node own_family = pov_yaml_get(tag, "family");
    pov_tag_family_read(&family, own_family);
    if (!pov_yaml_exists(own_family) && !defaults->has_family)
        pov_yaml_complain(tag, "has no family; give it here, or once for all tags at the top of the file");
    pov_yaml_node id = pov_yaml_need(tag, "id", "the tag's number in its family");
    pov_yaml_integer(&entry->id, id, 0, family_sizes[family] - 1);
    entry->family = (pov_tag_family)family;
    read_edge(entry, tag, defaults->edge_m);
    pov_yaml_node position =
        pov_yaml_need(tag, "position_m", "the tag's centre in the table frame: [x, y, z]");
    pov_yaml_vec3(&entry->T_table_tag.T.t_m, position, -10000, 10000);
    read_rotation(&entry->T_table_tag.T.R, tag);
    read_uncertainty(&entry->T_table_tag, tag);
}

static void read_tags(pov_tag_map *map, pov_yaml_node tags, const tag_defaults *defaults, panel_list *panels)
{
    int lines[POV_TAG_MAP_MAX];
    int length = pov_yaml_length(tags);
    if (length == 0)
        pov_yaml_complain(tags, "lists no tag; give at least one");
    if (length > POV_TAG_MAP_MAX)
        pov_yaml_complain(tags, "lists %d tags; at most %d are taken", length, POV_TAG_MAP_MAX);
    for (int i = 0; i < length && !pov_yaml_failed(tags.file); i++) {
        pov_yaml_node tag = pov_yaml_at(tags, i);
        pov_tag_map_entry entry = {0};
        read_tag(&entry, tag, defaults);
        read_panel(&entry, tag, panels);
        const pov_tag_map_entry *same = pov_tag_map_find(map, entry.family, entry.id);
        if (same)
            pov_yaml_complain(tag, "%s tag %d is listed already on line %d; a tag can be in one place only",
                              pov_tag_family_name(entry.family), entry.id, lines[same - map->tags]);
        lines[i] = pov_yaml_line(tag);
        map->tags[map->len++] = entry;
    }
}

void pov_tag_map_read_tags(pov_tag_map *map, pov_yaml_node mapping)
{
    pov_yaml_node family = pov_yaml_get(mapping, "family");
    tag_defaults defaults = {.has_family = pov_yaml_exists(family), .family = POV_TAG36H11, .edge_m = NAN};
    pov_tag_family_read(&defaults.family, family);
    pov_yaml_number(&defaults.edge_m, pov_yaml_get(mapping, "edge_m"), 0.001, 100);
    map->len = 0;
    panel_list panels = {.len = 0};
    read_panels(&panels, pov_yaml_get(mapping, "panels"));
    read_tags(map, pov_yaml_need(mapping, "tags", "the list of tags"), &defaults, &panels);
    if (!pov_yaml_failed(mapping.file))
        place_panels(map, &panels);
}

pov_status pov_tag_map_parse(pov_tag_map *map, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    map->len = 0;
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    pov_tag_map_read_tags(map, pov_yaml_root(file));
    const pov_status status = pov_yaml_finish(file);
    pov_yaml_close(&file);
    if (status.code != POV_OK)
        map->len = 0;
    return status;
}

pov_status pov_tag_map_read(pov_tag_map *map, const char *path)
{
    return pov_tag_map_parse(map, path, NULL, 0);
}

/* ---- writing ---- */

void pov_tag_map_write_rotation(FILE *stream, pov_rot R)
{
    fprintf(stream, "rotation: [");
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++)
            fprintf(stream, "%s%s%.12g%s", row + column ? ", " : "", column ? "" : "[",
                    R.m[row][column] + 0.0, column == 2 ? "]" : "");
    fprintf(stream, "]");
}

/* As position_std_m and rotation_std_deg say it: alike in all directions. */
static bool is_even(double cov[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (cov[i][j] != (i == j ? cov[i / 3 * 3][i / 3 * 3] : 0))
                return false;
    return true;
}

static void write_uncertainty(FILE *stream, double cov[6][6])
{
    const double rotation_std_rad = sqrt(cov[0][0]), position_std_m = sqrt(cov[3][3]);
    if (position_std_m > 0)
        fprintf(stream, ", position_std_m: %.4g", position_std_m);
    if (rotation_std_rad > 0)
        fprintf(stream, ", rotation_std_deg: %.4g", pov_degrees(rotation_std_rad));
}

void pov_tag_map_write_covariance(FILE *stream, const double cov[6][6])
{
    fprintf(stream, "covariance: [");
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++)
            fprintf(stream, "%s%.9g", i + j ? ", " : "", cov[i][j]);
    fprintf(stream, "]");
}

static void write_tag(FILE *stream, const pov_tag_map_entry *tag)
{
    const pov_transform *T = &tag->T_table_tag.T;
    pov_pose pose = tag->T_table_tag;
    double share[6][6];
    pov_tag_panel_share(share, tag);
    for (int i = 0; i < 36; i++) { /* the tag's own is written, rounding apart */
        double *own = &pose.cov[i / 6][i % 6];
        *own -= share[i / 6][i % 6];
        *own = fabs(*own) > 1e-9 * fabs(share[i / 6][i % 6]) ? *own : 0;
    }
    fprintf(stream, "  - {id: %d, family: %s, edge_m: %.9g, position_m: [%.9g, %.9g, %.9g], ", tag->id,
            pov_tag_family_name(tag->family), tag->edge_m, T->t_m.x + 0.0, T->t_m.y + 0.0, T->t_m.z + 0.0);
    pov_tag_map_write_rotation(stream, T->R);
    if (tag->panel.name[0])
        fprintf(stream, ", panel: %s", tag->panel.name);
    if (is_even(pose.cov))
        write_uncertainty(stream, pose.cov);
    else {
        fputs(",\n     ", stream);
        pov_tag_map_write_covariance(stream, (const double(*)[6])pose.cov);
    }
    fprintf(stream, "}\n");
}

static void write_panels(FILE *stream, const pov_tag_map *map)
{
    bool any = false;
    for (int i = 0; i < map->len; i++) {
        const pov_tag_panel *panel = &map->tags[i].panel;
        bool is_first = panel->name[0] != '\0';
        for (int k = 0; k < i; k++)
            is_first &= strcmp(map->tags[k].panel.name, panel->name) != 0;
        if (!is_first)
            continue;
        fprintf(stream, "%s  - {id: %s, position_std_m: %.4g, rotation_std_deg: %.4g}\n",
                any ? "" : "panels:\n", panel->name, panel->position_std_m,
                pov_degrees(panel->rotation_std_rad));
        any = true;
    }
}

void pov_tag_map_write(FILE *stream, const pov_tag_map *map, const char *about)
{
    fprintf(stream, "# %s\n", about);
    write_panels(stream, map);
    fputs("tags:\n", stream);
    for (int i = 0; i < map->len; i++)
        write_tag(stream, &map->tags[i]);
}
