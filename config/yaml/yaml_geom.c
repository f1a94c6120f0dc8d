/* Vectors and rotations. */
#include "config/yaml/yaml_file.h"

#include <string.h>

void pov_yaml_vec3(pov_vec3 *value, pov_yaml_node node, double low, double high)
{
    double numbers[3] = {value->x, value->y, value->z};
    pov_yaml_numbers(numbers, node, 3, low, high);
    *value = (pov_vec3){numbers[0], numbers[1], numbers[2]};
}

/* Three rows of three, or nine numbers. */
static void read_matrix(double m[3][3], pov_yaml_node node)
{
    int length = pov_yaml_length(node);
    if (length == 9) {
        pov_yaml_numbers(&m[0][0], node, 9, -2, 2);
        return;
    }
    if (length != 3) {
        pov_yaml_complain(node, "expected three rows of three numbers, got %d", length);
        return;
    }
    for (int row = 0; row < 3; row++)
        pov_yaml_numbers(m[row], pov_yaml_at(node, row), 3, -2, 2);
}

void pov_yaml_rotation(pov_rot *value, pov_yaml_node node)
{
    if (!pov_yaml_exists(node) || pov_yaml_failed(node.file))
        return;
    pov_rot R = {{{0}}};
    read_matrix(R.m, node);
    if (pov_yaml_failed(node.file))
        return;
    if (!pov_rot_is_valid(R, 1e-3))
        pov_yaml_complain(node, "is not a rotation: its rows must be of length 1, at right angles, and "
                                "right-handed, to within 0.001");
    else
        *value = pov_rot_nearest(R);
}
