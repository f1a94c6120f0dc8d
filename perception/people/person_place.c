#include "perception/people/person_place.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

/* Shares of a person's height. The face's are those of the cascades' windows; people differ (std). The width is that of
 * upper arms and what lies between, 0.28 from the front (ANSUR 2012, bideltoid breadth by stature), half as much from the
 * side, more where arms are held out. */
static const double eyes_share = 0.92, frontal_share = 0.108, profile_share = 0.118, face_share_std = 0.024;
/* A network's box ends at a foot's toes: this far before the body's middle, averaged over all turns. */
static const double toes_share = 0.07;
static const double chest_share = 0.75, width_share = 0.26, width_share_std = 0.08;

/* Errors of the detectors' boxes, as a share of the body's height and of the face's. HOG searches every 8 pixels of a
 * person's 96, at scales 6 % apart; a network's edges have about the same error where clothes and hair end. */
static const double sole_std_share = 0.06, crown_std_share = 0.05, side_std_share = 0.035,
                    face_std_share = 0.15;

/* Gate on the fit to height and floor: chi-square at 99 %, by the number of measurements beyond the unknowns. */
static const double misfit_max[] = {6.63, 6.63, 9.21, 11.34, 13.28, 15.09, 16.81};

static const double rim_px = 1.5; /* a box that ends this near the image's rim may go on beyond it */

/* Two hypotheses: a network's box shows a whole person, or a table hides the legs. The more likely one counts. Three of ten
 * people stand behind something: chosen. Head and shoulders show at least. */
static const double hidden_p = 0.3, shown_share_min = 0.2;

/* Of a network's: its score, at most; the rest is kept for what is none; chosen. */
static const double sure_of_face = 0.95;

static double weight_of_face(const pov_person *person)
{
    return fmin(sure_of_face, person->face_score);
}

/* That somebody in a network's box sits, crouches or is a child, and the share of the height at which the crown then is; chosen: 0.78 for
 * somebody who sits on a chair, 0.6 for a child of four. Head and shoulders stay as wide. The floor or a face must tell the distance. */
static const double lower_p = 0.15, lower_share = 0.75, lower_std_share = 0.2;

/* soles, crown, middle, face; width, face */
enum { SIGHT_MAX = 4, EXTENT_MAX = 2, X = 0, Y = 1, HEIGHT = 2, STATE = 3, STEPS = 12, EXPLANATIONS = 4 };

/* A point on the vertical through a person, seen at a pixel. */
typedef struct {
    double height_share;
    pov_vec2 pixel;
    double std_px[2];    /* 0: not used */
    double before_share; /* how far before that vertical, toward the camera */
} sight;

/* Something on that vertical whose size is a share of the person's. */
typedef struct {
    double height_share;
    double px, share, share_std;
    bool leans; /* its px also hold how far those who are seen from above lean in the image */
} extent;

typedef struct {
    const pov_person_build *build;
    const pov_camera *camera;
    const pov_pose *T_table_camera;
    pov_transform T_camera_table;
    bool is_lower; /* than somebody who stands: HEIGHT is the crown's, above the floor */
    int len, extent_len;
    sight sights[SIGHT_MAX];
    extent extents[EXTENT_MAX];
} problem;

/* Normal equations of one step, and how the right side moves with the camera's pose. */
typedef struct {
    double A[STATE][STATE], b[STATE], per_pose[STATE][6];
    double misfit; /* chi-square */
    int count;     /* of the numbers that it is over */
} normal;

/* ---- what was seen ---- */

static void add_sight(problem *p, double share, pov_vec2 pixel, double x_std_px, double y_std_px)
{
    p->sights[p->len++] = (sight){share, pixel, {x_std_px, y_std_px}, 0};
}

/* Ends of a body's box that are a person's. */
typedef struct {
    bool soles, crown;
} body_ends;

static body_ends ends_of(const pov_person *person, const pov_camera *camera)
{
    const bool soles = person->body.bottom_px < camera->height_px - 0.5 - rim_px;
    const bool crown = person->body.top_px > -0.5 + rim_px;
    return (body_ends){person->has_body && (soles || !person->is_cut),
                       person->has_body && (crown || !person->is_cut)};
}

/* Seen from above and off the image's middle people lean: a box's middle is that of the part of them that shows. */
static void gather_body(problem *p, const pov_person *person, body_ends ends)
{
    const pov_pixel_box *b = &person->body;
    const double wide_px = b->right_px - b->left_px, tall_px = b->bottom_px - b->top_px;
    const double x_px = 0.5 * (b->left_px + b->right_px);
    const bool is_whole_wide = b->left_px > -0.5 + rim_px && b->right_px < p->camera->width_px - 0.5 - rim_px;
    const double middle_share = ends.soles == ends.crown ? 0.5 : ends.crown ? 0.75 : 0.25;
    const double side_std_px = is_whole_wide || !person->is_cut ? side_std_share * tall_px : 0.5 * wide_px;
    if (ends.soles)
        add_sight(p, 0, (pov_vec2){x_px, b->bottom_px}, 0, sole_std_share * tall_px);
    if (ends.soles && person->is_cut)
        p->sights[0].before_share = toes_share;
    if (ends.crown)
        add_sight(p, 1, (pov_vec2){x_px, b->top_px}, 0, crown_std_share * tall_px);
    add_sight(p, middle_share, (pov_vec2){x_px, 0.5 * (b->top_px + b->bottom_px)}, side_std_px, 0);
    if (person->is_cut && is_whole_wide)
        p->extents[p->extent_len++] = (extent){chest_share, wide_px, width_share, width_share_std, true};
}

static void gather_sights(problem *p, const pov_person *person, body_ends ends)
{
    const pov_pixel_box *f = &person->face;
    p->len = p->extent_len = 0;
    if (person->has_body)
        gather_body(p, person, ends);
    if (!person->has_face)
        return;
    const double face_px = f->bottom_px - f->top_px;
    const double share = person->frontal || person->face_by_network ? frontal_share : profile_share;
    const double std_px = face_std_share * face_px * (1 + face_share_std / share);
    const pov_vec2 middle = {0.5 * (f->left_px + f->right_px), 0.5 * (f->top_px + f->bottom_px)};
    add_sight(p, eyes_share, middle, std_px, std_px);
    p->extents[p->extent_len++] = (extent){eyes_share, face_px, share, face_share_std, false};
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
static void take_measurement(normal *n, double residual, const double per_state[STATE],
                             const double per_pose[6], double std)
{
    double weight = 1 / (std * std);
    n->misfit += weight * residual * residual;
    n->count++;
    pov_normal_add(&(pov_normal){n->A[0], n->b, STATE}, per_state, &residual, 1, weight);
    for (int i = 0; i < STATE; i++)
        for (int k = 0; k < 6; k++)
            n->per_pose[i][k] -= weight * per_state[i] * per_pose[k];
}

static bool take_sight(normal *n, const problem *p, const double state[STATE], const sight *s)
{
    const pov_vec3 middle_m = point_at(p, state, s->height_share);
    const pov_vec3 to_eye_m = pov_vec3_sub(p->T_table_camera->T.t_m, middle_m);
    const double before = s->before_share * state[HEIGHT] / fmax(1e-9, hypot(to_eye_m.x, to_eye_m.y));
    const pov_vec3 at_m = {middle_m.x + before * to_eye_m.x, middle_m.y + before * to_eye_m.y, middle_m.z};
    double J[2][3], per_state[3][STATE], per_pose[3][6];
    pov_vec2 pixel;
    if (pov_camera_project(p->camera, &pixel, J, pov_transform_apply(p->T_camera_table, at_m)) != POV_OK)
        return false;
    camera_jacobians(p, per_state, per_pose, at_m, s->height_share);
    const double residual[2] = {s->pixel.x - pixel.x, s->pixel.y - pixel.y};
    for (int row = 0; row < 2; row++) {
        if (s->std_px[row] == 0)
            continue;
        double of_state[STATE] = {0}, of_pose[6] = {0};
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < STATE; i++)
                of_state[i] += J[row][c] * per_state[c][i];
            for (int k = 0; k < 6; k++)
                of_pose[k] += J[row][c] * per_pose[c][k];
        }
        take_measurement(n, residual[row], of_state, of_pose, s->std_px[row]);
    }
    return true;
}

static bool project_share(pov_vec2 *pixel, const problem *p, const double state[STATE], double share)
{
    const pov_vec3 at_m = pov_transform_apply(p->T_camera_table, point_at(p, state, share));
    return pov_camera_project(p->camera, pixel, NULL, at_m) == POV_OK;
}

/* Offset of the lowest visible end from the crown, sideways. */
static double lean_px(const problem *p, const double state[STATE])
{
    pov_vec2 crown, low;
    const double low_share = p->sights[0].height_share == 0 ? 0 : 0.5;
    if (!project_share(&crown, p, state, 1) || !project_share(&low, p, state, low_share))
        return 0;
    return fabs(crown.x - low.x);
}

/* Of somebody who stands as tall, whose sizes are shares of it. */
static double stature_m(const problem *p, const double state[STATE])
{
    return p->is_lower ? p->build->height_m : state[HEIGHT];
}

/* A size determines the distance along the ray. */
static void take_extent(normal *n, const problem *p, const double state[STATE], const extent *e)
{
    const pov_vec3 at_m = point_at(p, state, e->height_share);
    const pov_vec3 away_m = pov_vec3_sub(at_m, p->T_table_camera->T.t_m);
    const double far_m = pov_vec3_norm(away_m), scale = p->camera->fx_px * e->share / far_m;
    const double size_px = scale * stature_m(p, state), slope = -size_px / (far_m * far_m);
    const double of_state[STATE] = {slope * away_m.x, slope * away_m.y,
                                    slope * away_m.z * e->height_share + (p->is_lower ? 0 : scale)};
    const double of_pose[6] = {0, 0, 0, -slope * away_m.x, -slope * away_m.y, -slope * away_m.z};
    const double px = e->px - (e->leans ? lean_px(p, state) : 0);
    take_measurement(n, px - size_px, of_state, of_pose,
                     p->build->height_m * scale * e->share_std / e->share);
}

static double expected_height_m(const problem *p)
{
    return (p->is_lower ? lower_share : 1) * p->build->height_m;
}

static bool normal_at(normal *n, const problem *p, const double state[STATE])
{
    const double std_m = p->is_lower ? lower_std_share * p->build->height_m : p->build->height_std_m;
    memset(n, 0, sizeof *n);
    n->A[HEIGHT][HEIGHT] = 1 / (std_m * std_m);
    n->b[HEIGHT] = (expected_height_m(p) - state[HEIGHT]) / (std_m * std_m);
    n->misfit = n->b[HEIGHT] * n->b[HEIGHT] * std_m * std_m;
    n->count = 1;
    for (int i = 0; i < p->len; i++)
        if (!take_sight(n, p, state, &p->sights[i]))
            return false;
    for (int i = 0; i < p->extent_len; i++)
        take_extent(n, p, state, &p->extents[i]);
    return true;
}

/* Point of the ray through a sight at that height; false: not before the camera. */
static bool guess_by_floor(double *far_m, const problem *p, const sight *s, pov_vec3 direction)
{
    const double fall = pov_rot_apply(p->T_table_camera->T.R, direction).z;
    const double at_m = p->build->stands_on_m + s->height_share * expected_height_m(p);
    *far_m = (at_m - p->T_table_camera->T.t_m.z) / fall;
    return *far_m > 0 && isfinite(*far_m);
}

/* Along the ray through the last detection, at the distance that a size or the floor implies. */
static bool guess_place(double state[STATE], const problem *p)
{
    const sight *first = &p->sights[0], *last = &p->sights[p->len - 1];
    const extent *size =
        p->extent_len > 0 ? &p->extents[p->extent_len - 1] : NULL; /* a face's, if one was found */
    const double tall_px = p->len > 1 ? first->pixel.y - p->sights[1].pixel.y : 0;
    const bool has_both_ends = first->height_share == 0 && p->len > 1 && p->sights[1].height_share == 1;
    const double size_px = has_both_ends ? tall_px : size ? size->px / size->share : 0;
    pov_vec3 direction;
    double far_m = p->camera->fx_px * (has_both_ends ? expected_height_m(p) : p->build->height_m) / size_px;
    if (pov_camera_unproject(p->camera, &direction, NULL, size_px > 0 ? last->pixel : first->pixel) !=
            POV_OK ||
        (!(size_px > 0) && !guess_by_floor(&far_m, p, first, direction)))
        return false;
    const pov_vec3 at_m = pov_transform_apply(p->T_table_camera->T, pov_vec3_scale(direction, far_m));
    state[X] = at_m.x;
    state[Y] = at_m.y;
    state[HEIGHT] = expected_height_m(p);
    return true;
}

/* Gauss-Newton. Out: state, and the normal equations there with A inverted. */
static bool solve_place(double state[STATE], normal *n, const problem *p)
{
    if (!guess_place(state, p))
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
    return normal_at(n, p, state) && n->misfit < misfit_max[n->count > STATE ? n->count - STATE : 0] &&
           pov_symmetric_inverse(&n->A[0][0], &n->A[0][0], STATE) &&
           isfinite(state[X] + state[Y] + state[HEIGHT]);
}

/* ---- place ---- */

/* One explanation of what was found. */
typedef struct {
    double weight;
    double state[STATE], stature_m;
    normal n;
} explanation;

/* True if what shows of someone who is placed by the upper part ends above the soles. */
static bool hides_legs(const problem *p, const double state[STATE], const pov_pixel_box *body)
{
    pov_vec2 soles, crown;
    if (!project_share(&soles, p, state, 0) || !project_share(&crown, p, state, 1))
        return false;
    const double shown_px = body->bottom_px - body->top_px, tall_px = soles.y - crown.y;
    return shown_px > shown_share_min * tall_px && shown_px < tall_px;
}

/* Weights are those of Bayes: soles are where a whole body has them, give or take their deviation, or anywhere from the
 * shoulders down, where the legs end that show; a crown is likelier where few heights are possible. */
static double weight_of(const problem *p, double misfit, bool may_hide, bool hides)
{
    const pov_person_build *build = p->build;
    const double spread = hypot(build->height_std_m / build->height_m, crown_std_share);
    const double lower = lower_p * fmin(1, spread / lower_std_share);
    const double of_legs = !may_hide ? 1
                           : hides   ? hidden_p / (1 - shown_share_min)
                                     : (1 - hidden_p) / (sqrt(2 * POV_PI) * sole_std_share);
    return of_legs * (p->is_lower ? lower : 1 - lower_p) * exp(-0.5 * misfit);
}

static bool explain_so(explanation *e, problem *p, const pov_person *person, bool may_hide, bool hides)
{
    body_ends ends = ends_of(person, p->camera);
    ends.soles = ends.soles && !hides;
    gather_sights(p, person, ends);
    if (p->len == 0 || (p->is_lower && !ends.soles && !person->has_face) ||
        !solve_place(e->state, &e->n, p) || (hides && !hides_legs(p, e->state, &person->body)))
        return false;
    e->weight = weight_of(p, e->n.misfit, may_hide, hides);
    e->stature_m = stature_m(p, e->state);
    return true;
}

/* Returns how many explanations there are. */
static int explain_box(explanation list[EXPLANATIONS], problem *p, const pov_person *person)
{
    const body_ends ends = ends_of(person, p->camera);
    const bool may_hide = person->is_cut && ends.soles && ends.crown;
    const bool may_be_lower = person->is_cut || person->face_by_network;
    int len = 0;
    for (int lower = 0; lower <= may_be_lower; lower++)
        for (int hides = 0; hides <= may_hide; hides++) {
            p->is_lower = lower != 0;
            len += explain_so(&list[len], p, person, may_hide, hides != 0);
        }
    return len;
}

static void add_explanation(pov_position *position, const explanation *e, double share)
{
    static const double middle[3][STATE] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0.5}};
    double cov_m2[3][3];
    pov_sandwich(&cov_m2[0][0], &middle[0][0], &e->n.A[0][0], 3, STATE);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            position->own_cov_m2[i][j] += share * cov_m2[i][j];
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < STATE; j++)
                position->per_camera_pose[i][k] += share * middle[i][i] * e->n.A[i][j] * e->n.per_pose[j][k];
    }
}

/* Mean and covariance of all explanations. */
static pov_position position_of(const problem *p, const explanation *list, int len)
{
    pov_position position = {.mean_m = {0, 0, 0}};
    double total = 0;
    for (int i = 0; i < len; i++)
        total += list[i].weight;
    for (int i = 0; i < len; i++) {
        const double share = list[i].weight / total;
        position.mean_m =
            pov_vec3_add(position.mean_m, pov_vec3_scale(point_at(p, list[i].state, 0.5), share));
        add_explanation(&position, &list[i], share);
    }
    for (int i = 0; i < len; i++) {
        const pov_vec3 off_m = pov_vec3_sub(point_at(p, list[i].state, 0.5), position.mean_m);
        const double off[3] = {off_m.x, off_m.y, off_m.z};
        for (int k = 0; k < 9; k++)
            position.own_cov_m2[k / 3][k % 3] += list[i].weight / total * off[k / 3] * off[k % 3];
    }
    return position;
}

static double mean_stature_m(const explanation *list, int len)
{
    double sum = 0, total = 0;
    for (int i = 0; i < len; i++) {
        sum += list[i].weight * list[i].stature_m;
        total += list[i].weight;
    }
    return sum / total;
}

/* ---- heading ---- */

/* What is left of the weights is for any direction. */
static void add_doubt(pov_heading *heading, double to_camera_rad)
{
    pov_heading_mode any = {.weight = 1, .yaw_rad = to_camera_rad, .kappa = 0};
    for (int i = 0; i < heading->len; i++)
        any.weight -= heading->mode[i].weight;
    heading->mode[heading->len++] = any;
}

static void add_mode(pov_heading *heading, double weight, double yaw_rad, double std_rad)
{
    heading->mode[heading->len++] =
        (pov_heading_mode){weight, pov_angle_wrap(yaw_rad), pov_kappa_from_std(std_rad)};
}

/* A network's face without points: turned by less than a quarter. */
static const double some_face_std_rad = 50 * POV_DEG;
/* The cascades find frontal faces turned up to some 30 degrees away, and profiles from 20 to 105 of drawn heads; of photographed ones, where
 * the frontal cascade misses more, profiles alone also at 20. A tenth is kept for faces that are none. */
static const double sure_of_cascade = 0.9, profile_rad = 55 * POV_DEG, between_rad = 22 * POV_DEG;
static const double frontal_std_rad = 22 * POV_DEG, between_std_rad = 25 * POV_DEG,
                    profile_std_rad = 35 * POV_DEG;

/* Of the head, by the face; `more_std_rad` is added. */
static void add_modes_of_face(pov_heading *heading, const pov_person *person, double to_camera_rad,
                              double more_std_rad)
{
    const int side = person->looks_right - person->looks_left;
    if (person->face_by_network)
        add_mode(heading, weight_of_face(person),
                 to_camera_rad + (person->has_head ? person->head.yaw_rad : 0),
                 hypot(person->has_head ? person->head.yaw_std_rad : some_face_std_rad, more_std_rad));
    else if (person->frontal)
        add_mode(heading, sure_of_cascade, to_camera_rad + side * between_rad,
                 hypot(side != 0 ? between_std_rad : frontal_std_rad, more_std_rad));
    else if (person->looks_left || person->looks_right)
        for (int to = -1; to <= 1; to += 2)
            if (side == 0 || side == to)
                add_mode(heading, side == 0 ? sure_of_cascade / 2 : sure_of_cascade,
                         to_camera_rad + to * profile_rad, hypot(profile_std_rad, more_std_rad));
}

static pov_heading head_heading_of(const pov_person *person, double to_camera_rad)
{
    pov_heading heading = {.len = 0};
    add_modes_of_face(&heading, person, to_camera_rad, 0);
    if (heading.len > 0)
        add_doubt(&heading, to_camera_rad);
    return heading;
}

/* How far a body is turned from its head: necks turn up to some 80 degrees to each side (Ferrario 2002: 155 to 162 in all); 35 of deviation
 * are chosen. */
static const double neck_std_rad = 35 * POV_DEG;

/* No face where one would have been found: more likely a back or a cheek. */
pov_heading pov_person_heading(const pov_person *person, double to_camera_rad)
{
    pov_heading heading = {.len = 0};
    add_modes_of_face(&heading, person, to_camera_rad, neck_std_rad);
    if (heading.len == 0 && person->face_resolved)
        add_mode(&heading, 0.5, to_camera_rad + POV_PI, 60 * POV_DEG);
    add_doubt(&heading, to_camera_rad);
    return heading;
}

/* ---- place and heading ---- */

/* A head's yaw against the ray, for a camera that tilts or rolls: of its front in the table frame, against the way to the camera. */
static double head_yaw_on_ground(const pov_head_pose *head, const pov_transform *T_camera_table,
                                 pov_vec3 at_m, double to_camera_rad)
{
    const pov_vec3 ray = pov_vec3_unit(pov_transform_apply(*T_camera_table, at_m)), right = {1, 0, 0};
    const pov_vec3 x = pov_vec3_unit(pov_vec3_sub(right, pov_vec3_scale(ray, pov_vec3_dot(ray, right))));
    const pov_vec3 y = pov_vec3_cross(ray, x);
    const pov_vec3 front_camera =
        pov_vec3_add(pov_vec3_scale(x, head->front.x),
                     pov_vec3_add(pov_vec3_scale(y, head->front.y), pov_vec3_scale(ray, head->front.z)));
    const pov_vec3 front = pov_rot_apply(pov_rot_transpose(T_camera_table->R), front_camera);
    return pov_angle_wrap(atan2(front.y, front.x) - to_camera_rad);
}

pov_code pov_person_place(pov_entity *entity, const pov_person *person, const pov_person_build *build,
                          const pov_camera *camera, const pov_pose *T_table_camera)
{
    problem p = {.build = build,
                 .camera = camera,
                 .T_table_camera = T_table_camera,
                 .T_camera_table = pov_transform_inverse(T_table_camera->T)};
    explanation list[EXPLANATIONS];
    int len = explain_box(list, &p, person);
    if (len == 0 && person->has_body &&
        person->has_face) { /* somebody who bends or sits: the face tells the distance */
        pov_person face_alone = *person;
        face_alone.has_body = false;
        len = explain_box(list, &p, &face_alone);
    }
    if (len == 0)
        return POV_UNDEFINED;
    entity->placed = true;
    entity->position = position_of(&p, list, len);
    const pov_vec3 eye_m = T_table_camera->T.t_m, at_m = entity->position.mean_m;
    const double to_camera_rad = atan2(eye_m.y - at_m.y, eye_m.x - at_m.x);
    pov_person upright = *person;
    if (person->has_head)
        upright.head.yaw_rad = head_yaw_on_ground(&person->head, &p.T_camera_table, at_m, to_camera_rad);
    entity->heading = pov_person_heading(&upright, to_camera_rad);
    entity->head_heading = head_heading_of(&upright, to_camera_rad);
    entity->R_table_box = pov_rot_yaw(entity->heading.mode[0].yaw_rad);
    if (person->has_joints) {
        const pov_stature stature = {mean_stature_m(list, len), 2 * at_m.z - build->stands_on_m};
        pov_arm_pointing(entity, person->joints, &stature, camera, T_table_camera);
    }
    return POV_OK;
}

/* ---- looks ---- */

/* Speed at which a person may have walked since an older image; chosen: half of a stroll. */
static const double walk_std_m_s = 0.5;

static bool make_entity(pov_entity *entity, const pov_person *person, const pov_person_look *look,
                        const pov_person_build *build, const pov_camera *camera,
                        const pov_pose *T_table_camera)
{
    entity->seen = true;
    entity->look_age_s = look->age_s;
    entity->has_image_box = true;
    entity->image_box = person->has_body ? person->body : person->face;
    if (!T_table_camera)
        return true;
    if (pov_person_place(entity, person, build, camera, T_table_camera) != POV_OK)
        return false;
    for (int i = 0; i < 2; i++)
        entity->position.own_cov_m2[i][i] += pow(walk_std_m_s * look->age_s, 2);
    return true;
}

int pov_person_look_entities(pov_entity *entities, const pov_person_look *look,
                             const pov_people_expected *expected, const pov_camera *camera,
                             const pov_pose *T_table_camera)
{
    const pov_pose *pose = look->age_s == 0 ? T_table_camera : look->has_pose ? &look->T_table_camera : NULL;
    int len = 0;
    POV_REQUIRE(expected->max <= POV_PERSON_MAX);
    for (int i = 0; i < look->people.len && len < expected->max; i++) {
        pov_entity entity = *expected->like;
        if (make_entity(&entity, &look->people.persons[i], look, expected->build, camera, pose))
            pov_entities_insert(entities, len++, &entity);
    }
    return len;
}
