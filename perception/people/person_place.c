#include "perception/people/person_place.h"

#include "perception/linalg.h"

#include <math.h>
#include <string.h>

/* Shares of a person's height. The face's are those of the cascades' windows; people differ (std). */
static const double eyes_share = 0.92, frontal_share = 0.108, profile_share = 0.118, face_share_std = 0.024;

/* How far off the detector's boxes are, as a share of the body's height and of the face's. HOG looks every 8 pixels of a
 * person's 96, at scales 6 % apart. */
static const double sole_std_share = 0.06, crown_std_share = 0.05, side_std_share = 0.05,
                    face_std_share = 0.15;

/* What was found must fit the height and the floor: chi-square of the two numbers a body has over, at 99 %. */
static const double misfit_max = 9.2;

enum { SIGHT_MAX = 3, X = 0, Y = 1, HEIGHT = 2, STATE = 3, STEPS = 12 };

/* A point on the vertical through a person, seen at a pixel. */
typedef struct {
    double height_share;
    pov_vec2 pixel;
    double std_px[2];
} sight;

typedef struct {
    const pov_person_build *build;
    const pov_camera *camera;
    const pov_pose *T_table_camera;
    pov_transform T_camera_table;
    int len;
    sight sights[SIGHT_MAX];
    double face_px, face_share; /* 0: no face */
} problem;

/* Normal equations of one step, and how the right side moves with the camera's pose. */
typedef struct {
    double A[STATE][STATE], b[STATE], per_pose[STATE][6];
    double misfit; /* chi-square */
} normal;

/* ---- what was seen ---- */

static void add_sight(problem *p, double share, double x_px, double y_px, double side_std_px, double std_px)
{
    p->sights[p->len++] = (sight){share, {x_px, y_px}, {side_std_px, std_px}};
}

static void gather(problem *p, const pov_person *person)
{
    const pov_pixel_box *b = &person->body, *f = &person->face;
    p->len = 0;
    p->face_px = 0;
    if (person->has_body) {
        double x_px = 0.5 * (b->left_px + b->right_px), tall_px = b->bottom_px - b->top_px;
        add_sight(p, 0, x_px, b->bottom_px, side_std_share * tall_px, sole_std_share * tall_px);
        add_sight(p, 1, x_px, b->top_px, side_std_share * tall_px, crown_std_share * tall_px);
    }
    if (person->has_face) {
        p->face_px = f->bottom_px - f->top_px;
        p->face_share = person->frontal ? frontal_share : profile_share;
        double std_px = face_std_share * p->face_px * (1 + face_share_std / p->face_share);
        add_sight(p, eyes_share, 0.5 * (f->left_px + f->right_px), 0.5 * (f->top_px + f->bottom_px), std_px,
                  std_px);
    }
}

/* ---- least squares ---- */

static pov_vec3 point_at(const problem *p, const double state[STATE], double share)
{
    return (pov_vec3){state[X], state[Y], p->build->stands_on_m + share * state[HEIGHT]};
}

/* d(point in the camera frame) / d(state), and / d(camera pose error) as in pov_pose. */
static void camera_jacobians(const problem *p, double per_state[3][STATE], double per_pose[3][6],
                             pov_vec3 at_m, double share)
{
    const pov_rot *R = &p->T_camera_table.R;
    const pov_vec3 d = pov_vec3_sub(at_m, p->T_table_camera->T.t_m);
    const double cross[3][3] = {{0, -d.z, d.y}, {d.z, 0, -d.x}, {-d.y, d.x, 0}};
    for (int i = 0; i < 3; i++) {
        per_state[i][X] = R->m[i][0];
        per_state[i][Y] = R->m[i][1];
        per_state[i][HEIGHT] = share * R->m[i][2];
        for (int k = 0; k < 3; k++) {
            per_pose[i][k] = 0;
            for (int j = 0; j < 3; j++)
                per_pose[i][k] += R->m[i][j] * cross[j][k];
            per_pose[i][3 + k] = -R->m[i][k];
        }
    }
}

/* One number seen: residual, its gradients, its standard deviation. */
static void take(normal *n, double residual, const double per_state[STATE], const double per_pose[6],
                 double std)
{
    double weight = 1 / (std * std);
    n->misfit += weight * residual * residual;
    for (int i = 0; i < STATE; i++) {
        n->b[i] += weight * per_state[i] * residual;
        for (int j = 0; j < STATE; j++)
            n->A[i][j] += weight * per_state[i] * per_state[j];
        for (int k = 0; k < 6; k++)
            n->per_pose[i][k] -= weight * per_state[i] * per_pose[k];
    }
}

static bool take_sight(normal *n, const problem *p, const double state[STATE], const sight *s)
{
    const pov_vec3 at_m = point_at(p, state, s->height_share);
    double J[2][3], per_state[3][STATE], per_pose[3][6];
    pov_vec2 pixel;
    if (pov_camera_project(p->camera, &pixel, J, pov_transform_apply(p->T_camera_table, at_m)) != POV_OK)
        return false;
    camera_jacobians(p, per_state, per_pose, at_m, s->height_share);
    const double residual[2] = {s->pixel.x - pixel.x, s->pixel.y - pixel.y};
    for (int row = 0; row < 2; row++) {
        double of_state[STATE] = {0}, of_pose[6] = {0};
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < STATE; i++)
                of_state[i] += J[row][c] * per_state[c][i];
            for (int k = 0; k < 6; k++)
                of_pose[k] += J[row][c] * per_pose[c][k];
        }
        take(n, residual[row], of_state, of_pose, s->std_px[row]);
    }
    return true;
}

/* The face's size tells the distance along the ray. */
static void take_face(normal *n, const problem *p, const double state[STATE])
{
    const pov_vec3 at_m = point_at(p, state, eyes_share);
    const pov_vec3 away_m = pov_vec3_sub(at_m, p->T_table_camera->T.t_m);
    const double far_m = pov_vec3_norm(away_m), scale = p->camera->fx_px * p->face_share / far_m;
    const double slope = -scale * state[HEIGHT] / (far_m * far_m);
    const double of_state[STATE] = {slope * away_m.x, slope * away_m.y,
                                    slope * away_m.z * eyes_share + scale};
    const double of_pose[6] = {0, 0, 0, -slope * away_m.x, -slope * away_m.y, -slope * away_m.z};
    take(n, p->face_px - scale * state[HEIGHT], of_state, of_pose,
         p->face_px * face_share_std / p->face_share);
}

static bool normal_at(normal *n, const problem *p, const double state[STATE])
{
    double std_m = p->build->height_std_m;
    memset(n, 0, sizeof *n);
    n->A[HEIGHT][HEIGHT] = 1 / (std_m * std_m);
    n->b[HEIGHT] = (p->build->height_m - state[HEIGHT]) / (std_m * std_m);
    n->misfit = n->b[HEIGHT] * n->b[HEIGHT] * std_m * std_m;
    for (int i = 0; i < p->len; i++)
        if (!take_sight(n, p, state, &p->sights[i]))
            return false;
    if (p->face_px > 0)
        take_face(n, p, state);
    return true;
}

/* Along the ray through what was seen last, as far as its size says. */
static bool guess(double state[STATE], const problem *p)
{
    const sight *first = &p->sights[0], *last = &p->sights[p->len - 1];
    double size_px = p->face_px > 0 ? p->face_px / p->face_share : first->pixel.y - last->pixel.y;
    pov_vec3 direction;
    if (size_px <= 0 || pov_camera_unproject(p->camera, &direction, NULL, last->pixel) != POV_OK)
        return false;
    const pov_vec3 at_m = pov_transform_apply(
        p->T_table_camera->T, pov_vec3_scale(direction, p->camera->fx_px * p->build->height_m / size_px));
    state[X] = at_m.x;
    state[Y] = at_m.y;
    state[HEIGHT] = p->build->height_m;
    return true;
}

/* Gauss-Newton. Out: state, and the normal equations there with A inverted. */
static bool solve(double state[STATE], normal *n, const problem *p)
{
    if (!guess(state, p))
        return false;
    for (int step = 0; step < STEPS; step++) {
        double L[STATE][STATE], move[STATE];
        if (!normal_at(n, p, state) || !pov_cholesky(&L[0][0], &n->A[0][0], STATE))
            return false;
        pov_cholesky_solve(move, &L[0][0], n->b, STATE);
        for (int i = 0; i < STATE; i++)
            state[i] += move[i];
        state[HEIGHT] = fmax(state[HEIGHT], 0.3 * p->build->height_m);
    }
    return normal_at(n, p, state) && n->misfit < misfit_max &&
           pov_symmetric_inverse(&n->A[0][0], &n->A[0][0], STATE) &&
           isfinite(state[X] + state[Y] + state[HEIGHT]);
}

/* ---- place ---- */

static pov_position position_of(const problem *p, const double state[STATE], const normal *n)
{
    static const double middle[3][STATE] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0.5}};
    pov_position position = {.mean_m = point_at(p, state, 0.5)};
    pov_sandwich(&position.own_cov_m2[0][0], &middle[0][0], &n->A[0][0], 3, STATE);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < STATE; j++)
                position.per_camera_pose[i][k] += middle[i][i] * n->A[i][j] * n->per_pose[j][k];
    return position;
}

pov_code pov_person_place(pov_entity *entity, const pov_person *person, const pov_person_build *build,
                          const pov_camera *camera, const pov_pose *T_table_camera)
{
    problem p = {.build = build,
                 .camera = camera,
                 .T_table_camera = T_table_camera,
                 .T_camera_table = pov_transform_inverse(T_table_camera->T)};
    double state[STATE];
    normal n;
    gather(&p, person);
    if (p.len == 0 || !solve(state, &n, &p))
        return POV_UNDEFINED;
    entity->placed = true;
    entity->position = position_of(&p, state, &n);
    const pov_vec3 eye_m = T_table_camera->T.t_m, at_m = entity->position.mean_m;
    entity->heading = pov_person_heading(person, atan2(eye_m.y - at_m.y, eye_m.x - at_m.x));
    entity->R_table_box = pov_rot_yaw(entity->heading.mode[0].yaw_rad);
    return POV_OK;
}

/* ---- heading ---- */

static const double deg = POV_PI / 180;

static void add_mode(pov_heading *heading, double weight, double yaw_rad, double std_rad)
{
    heading->mode[heading->len++] =
        (pov_heading_mode){weight, pov_angle_wrap(yaw_rad), pov_kappa_from_std(std_rad)};
}

/* The cascades find frontal faces turned up to some 30 degrees away, and profiles from 20 to 105. A tenth is kept for faces
 * that are none. No face where one would have been found: more likely a back or a cheek. */
pov_heading pov_person_heading(const pov_person *person, double to_camera_rad)
{
    static const double profile_rad = 62 * deg, between_rad = 22 * deg;
    const double doubt = 0.1;
    bool left = person->looks_left, right = person->looks_right;
    pov_heading heading = {.len = 0};
    if (person->frontal && left == right)
        add_mode(&heading, 1 - doubt, to_camera_rad, 22 * deg);
    else if (person->frontal)
        add_mode(&heading, 1 - doubt, to_camera_rad + (right ? between_rad : -between_rad), 25 * deg);
    else if (left && right)
        for (int side = -1; side <= 1; side += 2)
            add_mode(&heading, (1 - doubt) / 2, to_camera_rad + side * profile_rad, 32 * deg);
    else if (left || right)
        add_mode(&heading, 1 - doubt, to_camera_rad + (right ? profile_rad : -profile_rad), 32 * deg);
    else if (person->face_resolved)
        add_mode(&heading, 0.5, to_camera_rad + POV_PI, 60 * deg);
    heading.mode[heading.len] = (pov_heading_mode){.weight = 1, .yaw_rad = to_camera_rad, .kappa = 0};
    for (int i = 0; i < heading.len; i++)
        heading.mode[heading.len].weight -= heading.mode[i].weight;
    heading.len++;
    return heading;
}
