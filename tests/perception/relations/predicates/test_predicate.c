/* Scenes with obvious answers, two for each relation: one where it holds and one where it does not. */
#include "perception/relations/predicates/affordance.h"
#include "perception/relations/relation_registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const pov_predicate_params params = POV_PREDICATE_PARAMS_DEFAULT;

#define NO_FRONT 999
#define UNKNOWN  999

typedef struct {
    double centre_m[3], size_m[3], front_deg, velocity_m_s[3];
} thing;

#define BODY(x, y, z, ...)                                                                                   \
    {                                                                                                        \
        {x, y, z}, {__VA_ARGS__}, NO_FRONT,                                                                  \
        {                                                                                                    \
            UNKNOWN                                                                                          \
        }                                                                                                    \
    }
#define FACING(deg, x, y, z, ...)                                                                            \
    {                                                                                                        \
        {x, y, z}, {__VA_ARGS__}, deg,                                                                       \
        {                                                                                                    \
            UNKNOWN                                                                                          \
        }                                                                                                    \
    }
#define MOVING(vx, vy, vz, x, y, z, ...)                                                                     \
    {                                                                                                        \
        {x, y, z}, {__VA_ARGS__}, NO_FRONT,                                                                  \
        {                                                                                                    \
            vx, vy, vz                                                                                       \
        }                                                                                                    \
    }

#define CUP      0.08, 0.08, 0.1
#define CARTON   0.6, 0.4, 0.4
#define TABLETOP 1.2, 0.8, 0.04
#define PERSON   0.3, 0.5, 1.8
#define CAR      4, 1.8, 1.5
#define ROOM     4, 4, 2.5
#define ROAD     40, 6, 0.02
#define POLE     0.1, 0.1, 3

typedef struct {
    const char *relation;
    double expected;
    thing referent, relatum;
} obvious;

/* The viewer stands 10 m away on -y and looks along +y: left is -x, and what is in front is nearer, at smaller y. */
static const obvious scenes[] = {
    /* Adjacency */
    {"adjacent_to", 1, BODY(0, 0, 0.05, CUP), BODY(0.1, 0, 0.05, CUP)},
    {"adjacent_to", 0, BODY(0, 0, 0.05, CUP), BODY(0.3, 0, 0.05, CUP)},
    {"alongside", 1, BODY(0, 0, 0.75, CAR), BODY(0.5, 2.5, 0.75, CAR)},
    {"alongside", 0, BODY(0, 0, 0.75, CAR), BODY(5.2, 0, 0.75, CAR)},
    {"at_the_side_of", 1, BODY(3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"at_the_side_of", 0, BODY(0, -2, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"at_the_right_side_of", 1, BODY(3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"at_the_right_side_of", 0, BODY(-3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"at_the_left_side_of", 1, BODY(-3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"at_the_left_side_of", 0, BODY(-30, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"attached_to", 1, BODY(0, 0, 0.05, CUP), BODY(0.08, 0, 0.05, CUP)},
    {"attached_to", 0, BODY(0, 0, 0.05, CUP), BODY(0.13, 0, 0.05, CUP)},
    {"at_the_back_of", 1, BODY(0, 1.5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"at_the_back_of", 0, BODY(0, -1.5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"ahead_of", 1, BODY(0, -4, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"ahead_of", 0, BODY(0, 4, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"against", 1, BODY(0, 1.053, 0.9, 0.3, 0.3, 1.8), BODY(0, 0, 0.75, CAR)},
    {"against", 0, BODY(0, 1.2, 0.9, 0.3, 0.3, 1.8), BODY(0, 0, 0.75, CAR)},
    {"at_the_edge_of", 1, BODY(0.56, 0, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"at_the_edge_of", 0, BODY(0.1, 0, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    /* Directional */
    {"off", 1, BODY(2, 0, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"off", 0, BODY(0.1, 0, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"past", 1, MOVING(2, 0, 0, -1, 1.5, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"past", 0, MOVING(2, 0, 0, -1, 30, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"toward", 1, MOVING(2, 0, 0, -9, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"toward", 0, MOVING(-2, 0, 0, -9, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"down", 1, MOVING(0, 0, -1, 0, 0, 3, CUP), BODY(0, 0, 1.5, POLE)},
    {"down", 0, MOVING(0, 0, 1, 0, 0, 0.2, CUP), BODY(0, 0, 1.5, POLE)},
    {"deep_down", 1, BODY(0, 0, 0.05, CUP), BODY(0, 0, 0.2, CARTON)},
    {"deep_down", 0, BODY(0, 0, 0.34, CUP), BODY(0, 0, 0.2, CARTON)},
    {"up", 1, BODY(0, 0, 3, CUP), BODY(0, 0, 1.5, POLE)},
    {"up", 0, BODY(1, 0, 0.05, CUP), BODY(0, 0, 1.5, POLE)},
    {"away_from", 1, MOVING(-2, 0.2, 0, -9, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"away_from", 0, FACING(0, -9, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"along", 1, MOVING(2, 0.1, 0, -9, 1, 0.9, PERSON), BODY(0, 0, 0.01, ROAD)},
    {"along", 0, MOVING(0, 2, 0, -9, 1, 0.9, PERSON), BODY(0, 0, 0.01, ROAD)},
    {"around", 1, MOVING(0, 2, 0, 1.2, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"around", 0, MOVING(2, 0, 0, 1.2, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"from", 1, MOVING(2, 0, 0, 4, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"from", 0, MOVING(2, 0, 0, 40, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"into", 1, MOVING(2, 0, 0, -4, 0, 1, PERSON), BODY(0, 0, 1.25, ROOM)},
    {"into", 0, MOVING(2, 0, 0, -4, 5, 1, PERSON), BODY(0, 0, 1.25, ROOM)},
    {"to", 1, MOVING(-2, 0, 0, 4, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"to", 0, MOVING(-2, 0, 0, 40, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"across", 1, MOVING(0, 1, 0, 5, -1, 0.9, PERSON), BODY(0, 0, 0.01, ROAD)},
    {"across", 0, MOVING(1, 0, 0, 5, -1, 0.9, PERSON), BODY(0, 0, 0.01, ROAD)},
    {"across_from", 1, FACING(0, -1, 0, 0.9, PERSON), FACING(180, 1, 0, 0.9, PERSON)},
    {"across_from", 0, FACING(0, -1, 0, 0.9, PERSON), FACING(0, 1, 0, 0.9, PERSON)},
    {"through", 1, MOVING(2, 0, 0, -1, 0, 1, PERSON), BODY(0, 0, 1.25, ROOM)},
    {"through", 0, MOVING(0.2, 0, 0, -1, 0, 1, PERSON), BODY(0, 0, 1.25, ROOM)},
    {"down_from", 1, MOVING(0, 0, -1, 0.5, 0, 0.3, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"down_from", 0, BODY(0, 0, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    /* Orientation */
    {"facing", 1, FACING(10, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"facing", 0, FACING(90, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"looking_at", 1, FACING(10, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"looking_at", 0, FACING(90, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"pointing_at", 1, FACING(10, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"pointing_at", 0, FACING(22, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"facing_away_from", 1, FACING(190, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"facing_away_from", 0, FACING(90, -3, 0, 0.9, PERSON), BODY(0, 0, 1.5, POLE)},
    {"parallel_to", 1, BODY(0, 0, 0.75, CAR), BODY(9, 5, 0.01, ROAD)},
    {"parallel_to", 0, BODY(0, 0, 0.75, 1.8, 4, 1.5), BODY(9, 5, 0.01, ROAD)},
    {"perpendicular_to", 1, BODY(0, 0, 1.5, POLE), BODY(9, 5, 0.01, ROAD)},
    {"perpendicular_to", 0, BODY(0, 0, 0.75, CAR), BODY(9, 5, 0.01, ROAD)},
    /* Projective */
    {"on_top_of", 1, BODY(0.3, 0.2, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"on_top_of", 0, BODY(0.3, 0.2, 0.9, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"beneath", 1, BODY(0.3, 0.2, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"beneath", 0, BODY(0.9, 0.2, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"beside", 1, BODY(0, -1.5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"beside", 0, BODY(0, 0, 2.4, PERSON), BODY(0, 0, 0.75, CAR)},
    {"behind", 1, BODY(0, 3, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"behind", 0, BODY(0, -3, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"left_of", 1, BODY(-3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"left_of", 0, BODY(3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"right_of", 1, BODY(3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"right_of", 0, BODY(-3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"under", 1, BODY(0.3, 0.2, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"under", 0, BODY(0.3, 0.2, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"in_front_of", 1, BODY(0, -3, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"in_front_of", 0, BODY(0, 3, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"below", 1, BODY(0.8, 0, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"below", 0, BODY(3, 0, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"above", 1, BODY(0.8, 0, 2, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"above", 0, BODY(3, 0, 0.9, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"over", 1, BODY(0.3, 0, 2, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"over", 0, BODY(0.8, 0, 2, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"in_the_middle_of", 1, BODY(0.05, -0.05, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"in_the_middle_of", 0, BODY(0.5, 0, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    /* Proximity */
    {"by", 1, BODY(0, -1.5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"by", 0, BODY(0, -9, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"close_to", 1, BODY(0, 0, 0.05, CUP), BODY(0.12, 0, 0.05, CUP)},
    {"close_to", 0, BODY(0, 0, 0.05, CUP), BODY(0.8, 0, 0.05, CUP)},
    {"near", 1, BODY(0, 0, 0.9, PERSON), BODY(1.2, 0, 0.9, PERSON)},
    {"near", 0, BODY(0, 0, 0.9, PERSON), BODY(4, 0, 0.9, PERSON)},
    {"far_from", 1, BODY(0, 0, 0.9, PERSON), BODY(6, 0, 0.9, PERSON)},
    {"far_from", 0, BODY(0, 0, 0.9, PERSON), BODY(2, 0, 0.9, PERSON)},
    {"far_away_from", 1, BODY(0, 0, 0.9, PERSON), BODY(20, 0, 0.9, PERSON)},
    {"far_away_from", 0, BODY(0, 0, 0.9, PERSON), BODY(5, 0, 0.9, PERSON)},
    /* Topological */
    {"connected_to", 1, BODY(0, 0, 0.2, CARTON), BODY(0.6, 0, 0.2, CARTON)},
    {"connected_to", 0, BODY(0, 0, 0.2, CARTON), BODY(0.7, 0, 0.2, CARTON)},
    {"detached_from", 1, BODY(0, 0, 0.2, CARTON), BODY(0.7, 0, 0.2, CARTON)},
    {"detached_from", 0, BODY(0, 0, 0.2, CARTON), BODY(0.6, 0, 0.2, CARTON)},
    {"has_as_a_part", NAN, BODY(0, 0, 0.75, CAR), BODY(1, 1, 0.3, CARTON)},
    {"part_of", NAN, BODY(1, 1, 0.3, CARTON), BODY(0, 0, 0.75, CAR)},
    {"contains", 1, BODY(0, 0, 0.2, CARTON), BODY(0.1, 0, 0.1, CUP)},
    {"contains", 0, BODY(0.1, 0, 0.1, CUP), BODY(0, 0, 0.2, CARTON)},
    {"within", 1, BODY(0.1, 0, 0.1, CUP), BODY(0, 0, 0.2, CARTON)},
    {"within", 0, BODY(0.3, 0, 0.1, CUP), BODY(0, 0, 0.2, CARTON)},
    {"at", 1, BODY(0, 0.7, 0.9, PERSON), BODY(0, 0, 0.72, TABLETOP)},
    {"at", 0, BODY(0, 2, 0.9, PERSON), BODY(0, 0, 0.72, TABLETOP)},
    {"on", 1, BODY(0.3, 0.2, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"on", 0, BODY(0.3, 0.2, 0.05, CUP), BODY(0, 0, 0.72, TABLETOP)},
    {"in", 1, BODY(0, 0, 0.3, CUP), BODY(0, 0, 0.2, CARTON)},
    {"in", 0, BODY(0, 0, 0.45, CUP), BODY(0, 0, 0.2, CARTON)},
    {"with", 1, BODY(0, 0, 0.9, PERSON), BODY(0.8, 0, 0.9, PERSON)},
    {"with", 0, BODY(0, 0, 0.9, PERSON), BODY(5, 0, 0.9, PERSON)},
    {"surrounding", 1, BODY(0, 0, 0.6, 9, 9, 1.2), BODY(1, 1, 0.5, 1, 0.5, 0.9)},
    {"surrounding", 0, BODY(0, 0, 0.6, 9, 9, 1.2), BODY(6, 1, 0.5, 1, 0.5, 0.9)},
    {"consists_of", NAN, BODY(0, 0, 0.2, CARTON), BODY(0, 0, 0.2, CARTON)},
    {"out_of", 1, BODY(2, 0, 0.05, CUP), BODY(0, 0, 0.2, CARTON)},
    {"out_of", 0, BODY(0, 0, 0.05, CUP), BODY(0, 0, 0.2, CARTON)},
    {"inside", 1, BODY(0, 0, 0.06, CUP), BODY(0, 0, 0.2, CARTON)},
    {"inside", 0, BODY(2, 0, 0.05, CUP), BODY(0, 0, 0.2, CARTON)},
    {"outside", 1, BODY(2, 0, 0.05, CUP), BODY(0, 0, 0.2, CARTON)},
    {"outside", 0, BODY(0, 0, 0.06, CUP), BODY(0, 0, 0.2, CARTON)},
    {"touching", 1, BODY(0, 0, 0.05, CUP), BODY(0.082, 0, 0.05, CUP)},
    {"touching", 0, BODY(0, 0, 0.05, CUP), BODY(0.1, 0, 0.05, CUP)},
    /* Unallocated */
    {"beyond", 1, BODY(0.5, 8, 1.5, POLE), BODY(0, 0, 0.75, CAR)},
    {"beyond", 0, BODY(0.5, -5, 1.5, POLE), BODY(0, 0, 0.75, CAR)},
    {"next_to", 1, BODY(0, 0, 0.9, PERSON), BODY(0.8, 0, 0.9, PERSON)},
    {"next_to", 0, BODY(0, 0, 0.9, PERSON), BODY(3, 0, 0.9, PERSON)},
    {"opposite_to", 1, FACING(0, -1, 0, 0.9, PERSON), FACING(180, 1, 0, 0.9, PERSON)},
    {"opposite_to", 0, FACING(180, -1, 0, 0.9, PERSON), FACING(0, 1, 0, 0.9, PERSON)},
    {"after", 1, BODY(-9, 0, 0.75, CAR), MOVING(5, 0, 0, 0, 0, 0.75, CAR)},
    {"after", 0, BODY(9, 0, 0.75, CAR), MOVING(5, 0, 0, 0, 0, 0.75, CAR)},
    {"enclosed_by", 1, BODY(1, 1, 0.5, 1, 0.5, 0.9), BODY(0, 0, 0.6, 9, 9, 1.2)},
    {"enclosed_by", 0, BODY(6, 1, 0.5, 1, 0.5, 0.9), BODY(0, 0, 0.6, 9, 9, 1.2)},
    /* Not in VSR's table; the axes' front stands for north. */
    {"north_of", 1, BODY(0, -3, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"east_of", 0, BODY(-3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"south_of", 1, BODY(0, 3, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"west_of", 1, BODY(-3, 0, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"nearer_to_viewer", 1, BODY(0, -5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"nearer_to_viewer", 0, BODY(0, 5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"farther_from_viewer", 1, BODY(0, 5, 0.9, PERSON), BODY(0, 0, 0.75, CAR)},
    {"bigger_than", 1, BODY(0, 5, 0.75, CAR), BODY(0, -5, 0.9, PERSON)},
    {"smaller_than", 1, BODY(0, -9, 0.05, CUP), BODY(0, 0, 0.9, PERSON)},
    {"bigger_than", 1, BODY(0, 5, 0.3, 0.5, 0.5, 0.6),
     BODY(3, 0, 0.5, 1.4, 0.04, 0.04)}, /* an oven, a broom */
    {"taller_than", 1, BODY(0, 0, 1.5, POLE), BODY(9, 0, 0.75, CAR)},
    {"taller_than", 0, BODY(0, 0, 2.05, CUP), BODY(9, 0, 0.9, PERSON)},
    {"shorter_than", 1, BODY(0, 0, 2.05, CUP), BODY(9, 0, 0.9, PERSON)},
    {"shorter_than", 0, BODY(0, 0, 1.5, POLE), BODY(9, 0, 0.75, CAR)},
    {"congruent", 1, BODY(0, 0, 0.2, 0.6, 0.4, 0.4), BODY(9, 0, 3, 0.4, 0.41, 0.6)},
    {"congruent", 0, BODY(0, 0, 0.2, 0.6, 0.4, 0.4), BODY(9, 0, 3, 0.4, 0.4, 0.9)},
    {"higher_than", 1, BODY(7, 0, 3, CUP), BODY(0, 0, 0.9, PERSON)},
    {"lower_than", 1, BODY(7, 0, 0.05, CUP), BODY(0, 0, 0.9, PERSON)},
    {"supports", 1, BODY(0, 0, 0.72, TABLETOP), BODY(0.3, 0.2, 0.79, CUP)},
    {"supports", 0, BODY(0.3, 0.2, 0.79, CUP), BODY(0, 0, 0.72, TABLETOP)},
};

static pov_body made(const thing *of)
{
    const double *c = of->centre_m, *s = of->size_m, *v = of->velocity_m_s;
    pov_body body = {.box = {{c[0], c[1], c[2]}, {s[0] / 2, s[1] / 2, s[2] / 2}, pov_rot_identity()},
                     .affords = POV_AFFORDS_HOLDING};
    if (of->front_deg != NO_FRONT) {
        body.has_front = true;
        body.front_yaw_rad = of->front_deg * POV_PI / 180;
        body.box.R_table_box = pov_rot_yaw(body.front_yaw_rad);
    }
    if (v[0] != UNKNOWN) {
        body.has_velocity = true;
        body.velocity_m_s = (pov_vec3){v[0], v[1], v[2]};
    }
    return body;
}

static pov_situation seen(const thing *referent, const thing *relatum)
{
    return (pov_situation){.referent = made(referent),
                           .relatum_len = 1,
                           .relatum = {made(relatum)},
                           .has_axes = true,
                           .front = {0, -1},
                           .left = {-1, 0},
                           .has_viewer = true,
                           .viewer_m = {0, -10, 1.5}};
}

static void check(const char *name, double truth, double expected)
{
    bool right = isnan(expected) ? isnan(truth) : fabs(truth - expected) < 0.05;
    if (!right)
        print_error("%s: %g, not %g\n", name, truth, expected);
    assert_true(right);
}

static void obvious_scenes_have_obvious_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        pov_situation situation = seen(&scenes[i].referent, &scenes[i].relatum);
        check(scenes[i].relation,
              pov_relation_truth(pov_relation_lookup(scenes[i].relation), &situation, &params),
              scenes[i].expected);
    }
}

static const thing people[] = {BODY(0, 0, 0.9, PERSON), BODY(3, 0.5, 0.9, PERSON),
                               BODY(-3, -0.5, 0.9, PERSON), BODY(0, 4, 0.9, PERSON), BODY(9, 9, 0.9, PERSON)};

static double of_people(const char *relation, int a, int len, const int *others)
{
    pov_situation situation = seen(&people[a], &people[others[0]]);
    situation.relatum_len = len;
    for (int i = 0; i < len; i++)
        situation.relatum[i] = made(&people[others[i]]);
    return pov_relation_truth(pov_relation_lookup(relation), &situation, &params);
}

static void relations_to_several_have_obvious_answers(void **state)
{
    (void)state;
    check("between", of_people("between", 0, 2, (int[]){1, 2}), 1);
    check("between", of_people("between", 3, 2, (int[]){1, 2}), 0);
    check("between", of_people("between", 0, 1, (int[]){1}), NAN);
    check("among", of_people("among", 0, 4, (int[]){1, 2, 3, 4}),
          0.5); /* on the line between two: on the rim */
    check("among", of_people("among", 1, 4, (int[]){0, 2, 3, 4}), 0);
    check("among", of_people("among", 0, 5, (int[]){0, 1, 2, 3, 4}), 0.5); /* one right there tells nothing */
    check("among", of_people("among", 0, 3, (int[]){0, 1, 2}), NAN);
    check("nearer_to", of_people("nearer_to", 0, 2, (int[]){1, 4}), 1);
    check("nearer_to", of_people("nearer_to", 4, 2, (int[]){1, 0}), 0);
    check("farther_from", of_people("farther_from", 4, 2, (int[]){1, 0}), 1);
    /* Around a fire. */
    thing fire = BODY(0.3, 1.3, 0.2, CARTON);
    pov_situation situation = seen(&fire, &people[1]);
    situation.relatum_len = 3;
    situation.relatum[1] = made(&people[2]);
    situation.relatum[2] = made(&people[3]);
    check("among", pov_relation_truth(pov_relation_lookup("among"), &situation, &params), 1);
}

static void every_relation_has_a_scene(void **state)
{
    (void)state;
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        bool found = relation->relata_min > 1;
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
            found = found || strcmp(scenes[k].relation, relation->name) == 0;
        if (!found)
            print_error("no scene for %s\n", relation->name);
        assert_true(found);
    }
}

static void what_goes_toward_stands_still_by_its_front(void **state)
{
    (void)state;
    thing still = FACING(0, -9, 0, 0.9, PERSON), pole = BODY(0, 0, 1.5, POLE), ball = BODY(-9, 0, 0.9, CUP);
    pov_situation person = seen(&still, &pole), thing_without_front = seen(&ball, &pole);
    check("toward", pov_relation_truth(pov_relation_lookup("toward"), &person, &params), 1);
    check("toward", pov_relation_truth(pov_relation_lookup("toward"), &thing_without_front, &params), NAN);
    check("into", pov_relation_truth(pov_relation_lookup("into"), &person, &params), NAN);
    person.referent.has_velocity = true;
    person.referent.velocity_m_s = (pov_vec3){0, 0, 0};
    check("into", pov_relation_truth(pov_relation_lookup("into"), &person, &params), 0);
    /* Both go the same way: neither goes toward the other by its motion. */
    person.referent.velocity_m_s = person.relatum[0].velocity_m_s = (pov_vec3){0, 5, 0};
    person.relatum[0].has_velocity = true;
    check("past", pov_relation_truth(pov_relation_lookup("past"), &person, &params), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obvious_scenes_have_obvious_answers),
        cmocka_unit_test(relations_to_several_have_obvious_answers),
        cmocka_unit_test(every_relation_has_a_scene),
        cmocka_unit_test(what_goes_toward_stands_still_by_its_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
