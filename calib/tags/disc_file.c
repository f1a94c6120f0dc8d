#include "calib/tags/disc_file.h"

#include "calib/tags/tag_map_file.h"
#include "config/yaml/yaml_file.h"

static pov_status read_disc(pov_disc *disc, pov_yaml_file *file)
{
    pov_yaml_node root = pov_yaml_root(file);
    disc->T_table_disc = pov_pose_exact(pov_transform_identity());
    pov_yaml_vec3(&disc->T_table_disc.T.t_m,
                  pov_yaml_need(root, "position_m", "a place on the axis in the table frame: [x, y, z]"),
                  -1000, 1000);
    pov_yaml_rotation(&disc->T_table_disc.T.R,
                      pov_yaml_need(root, "rotation", "R_table_disc at angle 0, three rows; z is the axis"));
    pov_yaml_node covariance = pov_yaml_get(root, "covariance");
    if (pov_yaml_exists(covariance))
        pov_tag_map_read_covariance(disc->T_table_disc.cov, covariance);
    pov_tag_map_read_tags(&disc->tags, root);
    (void)pov_yaml_get(root, "measured");
    return pov_yaml_finish(file);
}

pov_status pov_disc_file_parse(pov_disc *disc, const char *name, const char *text, size_t length)
{
    pov_yaml_file *file;
    disc->tags.len = 0;
    POV_TRY(pov_yaml_parse(&file, name, text, length));
    const pov_status status = read_disc(disc, file);
    pov_yaml_close(&file);
    if (status.code != POV_OK)
        disc->tags.len = 0;
    return status;
}

pov_status pov_disc_file_read(pov_disc *disc, const char *path)
{
    return pov_disc_file_parse(disc, path, NULL, 0);
}

void pov_disc_file_write(FILE *stream, const pov_disc *disc)
{
    const pov_pose *pose = &disc->T_table_disc;
    fprintf(stream, "position_m: [%.12g, %.12g, %.12g]\n", pose->T.t_m.x, pose->T.t_m.y, pose->T.t_m.z);
    pov_tag_map_write_rotation(stream, pose->T.R);
    fputc('\n', stream);
    pov_tag_map_write_covariance(stream, (const double(*)[6])pose->cov);
    fputc('\n', stream);
    pov_tag_map_write(stream, &disc->tags, "In the disc's frame:");
}
