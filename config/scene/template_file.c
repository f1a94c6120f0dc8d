#include "config/scene/template_file.h"

#include "config/files/write_file.h"
#include "config/yaml/yaml_file.h"
#include "perception/geometry/geom.h"

static double read_angle(pov_yaml_node root, const char *key, const char *hint, double low_deg)
{
    double value_deg = NAN;
    pov_yaml_number(&value_deg, pov_yaml_need(root, key, hint), low_deg, 180);
    return value_deg * POV_DEG;
}

pov_status pov_template_parse(pov_template *regions, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    *regions = (pov_template){NAN, NAN, NAN, NAN, NAN, NAN};
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    pov_yaml_node root = pov_yaml_root(file), edge = pov_yaml_get(root, "good_edge_deg");
    pov_template read = {
        .good_edge_rad = read_angle(root, "good_edge_deg", "the angle where good places end", 0),
        .good_fall_rad = read_angle(root, "good_fall_deg", "how softly they end", 0.1),
        .acceptable_edge_rad =
            read_angle(root, "acceptable_edge_deg", "the angle where acceptable places end", 0),
        .acceptable_fall_rad = read_angle(root, "acceptable_fall_deg", "how softly they end", 0.1),
        .acceptable_level = NAN,
        .reach_m = INFINITY,
    };
    pov_yaml_number(&read.acceptable_level,
                    pov_yaml_need(root, "acceptable_level", "how well acceptable places are rated"), 0, 1);
    pov_yaml_number(&read.reach_m, pov_yaml_get(root, "reach_m"), 1e-6, 1e9);
    if (read.good_edge_rad > read.acceptable_edge_rad)
        pov_yaml_complain(edge, "is beyond acceptable_edge_deg; good places lie within the acceptable ones");
    pov_status status = pov_yaml_finish(file);
    pov_yaml_close(&file);
    POV_THEN(status, pov_template_check(&read));
    if (status.code == POV_OK)
        *regions = read;
    return status;
}

pov_status pov_template_read(pov_template *regions, const char *path)
{
    return pov_template_parse(regions, path, NULL, 0);
}

static void print_comment(FILE *stream, const char *comment)
{
    for (const char *c = comment; c && *c; c++) {
        if (c == comment || c[-1] == '\n')
            fputs("# ", stream);
        fputc(*c, stream);
    }
    if (comment && *comment)
        fputc('\n', stream);
}

static void print_template(FILE *stream, const pov_template *t)
{
    fprintf(stream, "good_edge_deg: %.6g\ngood_fall_deg: %.6g\n", t->good_edge_rad / POV_DEG,
            t->good_fall_rad / POV_DEG);
    fprintf(stream, "acceptable_edge_deg: %.6g\nacceptable_fall_deg: %.6g\n",
            t->acceptable_edge_rad / POV_DEG, t->acceptable_fall_rad / POV_DEG);
    fprintf(stream, "acceptable_level: %.6g\n", t->acceptable_level);
    if (isfinite(t->reach_m))
        fprintf(stream, "reach_m: %.6g\n", t->reach_m);
}

pov_status pov_template_write(const char *path, const pov_template *regions, const char *comment)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    print_comment(file.stream, comment);
    print_template(file.stream, regions);
    return pov_write_file_end(&file, pov_ok());
}
