#include "perception/cast/scene_fusion.h"

#include "perception/cast/camera_audit.h"
#include "perception/cast/camera_fusion.h"
#include "perception/cast/entity_carry.h"
#include "perception/geometry/linalg.h"
#include "perception/tracking/assignment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t fresh_ns = 1000000000; /* an older view adds nothing new; chosen */
static const int64_t latch_ns =
    500000000; /* of contradiction until it is told, of agreement until it is over; chosen */
static const double alike_nis_max =
    25; /* squared Mahalanobis distance of one thing in two views; chi-square 3: 1.5e-5 */
static const double gone_s = 10; /* as perception/tracking/tracker.c: then a hidden thing is lost */

/* The scene of a camera's newest image. */
typedef struct {
    bool is_there, is_held, is_not_swappable;
    int64_t now_ns;
    pov_scene scene;
    pov_pose T_table_camera; /* valid if the scene has a camera */
    int number[POV_CAST_MAX]
              [POV_FOUND_MAX]; /* of each thing NAME_k of a member: its number in all views; -1: none yet */
} camera_view;

/* What a camera was found to be, over time. */
typedef struct {
    pov_fusion_report report;
    pov_fusion_verdict verdict; /* of the newest images */
    int64_t since_ns;
} camera_trust;

struct pov_scene_fusion {
    pov_cast cast;
    int cameras;
    camera_view *views;
    camera_trust trust[POV_CAMERA_MAX];
    pov_agreed_place *agreed; /* of each number of each member: where all cameras last saw it at rest */
    pov_camera_fusion *solver;
    pov_camera_audit *audit;
    pov_camera_finding finding;         /* of the audit */
    bool has_looked;                    /* the audit has: */
    double clock_std_s[POV_CAMERA_MAX]; /* by the audit */
    double stated_clock_std_s[POV_CAMERA_MAX];
    int64_t first_ns;                  /* of the first image; 0: none yet */
    int64_t finding_ns, fits_since_ns; /* INT64_MAX: they contradict one another */
    double doubt[6][6];                /* added to the pose's covariance of the newest image's camera */
    pov_scene fused;
};

pov_scene_fusion *pov_scene_fusion_new(const pov_cast *cast, int cameras)
{
    POV_REQUIRE(cameras >= 1 && cameras <= POV_CAMERA_MAX);
    pov_scene_fusion *f = pov_allocate(1, sizeof *f);
    f->cast = *cast;
    f->cameras = cameras;
    f->views = pov_allocate((size_t)cameras, sizeof *f->views);
    f->agreed = pov_allocate((size_t)POV_CAST_MAX * POV_FOUND_MAX, sizeof *f->agreed);
    f->solver = pov_allocate(1, sizeof *f->solver);
    f->audit = pov_camera_audit_new();
    f->fits_since_ns = INT64_MAX;
    for (int c = 0; c < cameras; c++) {
        for (int i = 0; i < POV_CAST_MAX; i++)
            for (int k = 0; k < POV_FOUND_MAX; k++)
                f->views[c].number[i][k] = -1;
        f->trust[c].report = (pov_fusion_report){.moved_m = NAN, .turned_rad = NAN};
    }
    return f;
}

void pov_scene_fusion_destroy(pov_scene_fusion **fusion)
{
    if (!*fusion)
        return;
    free((*fusion)->views);
    free((*fusion)->agreed);
    free((*fusion)->solver);
    pov_camera_audit_destroy(&(*fusion)->audit);
    free(*fusion);
    *fusion = NULL;
}

void pov_scene_fusion_hold(pov_scene_fusion *fusion, int camera)
{
    fusion->views[camera].is_held = true;
}

void pov_scene_fusion_fix(pov_scene_fusion *fusion, int camera)
{
    fusion->views[camera].is_not_swappable = true;
}

void pov_scene_fusion_clock(pov_scene_fusion *fusion, int camera, double std_s)
{
    fusion->stated_clock_std_s[camera] = std_s > 0 ? std_s : 0;
}

void pov_scene_fusion_forget(pov_scene_fusion *fusion, int camera)
{
    fusion->views[camera].is_there = false;
}

/* -------- one thing in several views -------- */

static pov_agreed_place *agreed_of(pov_scene_fusion *f, int member, int number)
{
    return &f->agreed[member * POV_FOUND_MAX + number];
}

static int count_of(const pov_scene_fusion *f, int member)
{
    const int count = pov_cast_member_count(&f->cast.members[member]);
    return count < POV_FOUND_MAX ? count : POV_FOUND_MAX;
}

/* Entity k of a member in a view. */
static pov_id find_own(const pov_scene_fusion *f, int camera, int member, int k)
{
    char name[POV_NAME_CAPACITY];
    pov_cast_member_name(name, &f->cast.members[member], k);
    return pov_scene_find(&f->views[camera].scene, name);
}

/* The entity of a number in all views. */
static pov_id find_numbered(const pov_scene_fusion *f, int camera, int member, int number)
{
    const int count = count_of(f, member);
    if (count == 1)
        return find_own(f, camera, member, 0);
    for (int k = 0; k < count; k++)
        if (f->views[camera].number[member][k] == number)
            return find_own(f, camera, member, k);
    return POV_ID_NONE;
}

static bool is_fresh(const pov_scene_fusion *f, int camera, int64_t now_ns)
{
    const camera_view *view = &f->views[camera];
    return view->is_there && now_ns - view->now_ns < fresh_ns && view->now_ns - now_ns < fresh_ns;
}

/* A thing as a camera's view has it at this time. */
static bool take_sighting(pov_scene_fusion *f, pov_entity *entity, int camera, int member, int number,
                          int64_t now_ns)
{
    const camera_view *view = &f->views[camera];
    const pov_id id = find_numbered(f, camera, member, number);
    if (!view->is_there || id == POV_ID_NONE)
        return false;
    *entity = view->scene.entities[id];
    pov_entity_carry(entity, 1e-9 * (double)(now_ns - view->now_ns));
    return !(entity->track.tracked && entity->track.hidden_s > gone_s);
}

/* -------- ids: which of several alike is which -------- */

static double nis_of(const pov_vec3 *a, double cov_a[3][3], const pov_vec3 *b, double cov_b[3][3])
{
    double S[9], r[3] = {a->x - b->x, a->y - b->y, a->z - b->z}, L[9], x[3];
    for (int i = 0; i < 9; i++)
        S[i] = cov_a[i / 3][i % 3] + cov_b[i / 3][i % 3] + (i % 4 == 0 ? 1e-10 : 0);
    if (!pov_cholesky(L, S, 3))
        return INFINITY;
    pov_cholesky_solve(x, L, r, 3);
    return r[0] * x[0] + r[1] * x[1] + r[2] * x[2];
}

/* Where the other cameras have a number; false: nowhere. */
static bool place_of_number(pov_scene_fusion *f, pov_vec3 *at_m, double cov[3][3], int camera, int member,
                            int number, int64_t now_ns)
{
    for (int c = 0; c < f->cameras; c++) {
        pov_entity entity;
        if (c == camera || !take_sighting(f, &entity, c, member, number, now_ns) || !entity.placed)
            continue;
        *at_m = entity.position.mean_m;
        pov_scene_position_cov(&f->views[c].scene, cov, &entity.position);
        return true;
    }
    return false;
}

static double cost_of(pov_scene_fusion *f, const pov_entity *entity, int camera, int member, int number,
                      int64_t now_ns)
{
    pov_vec3 at_m;
    double theirs[3][3], own[3][3];
    if (!place_of_number(f, &at_m, theirs, camera, member, number, now_ns))
        return alike_nis_max; /* a number that is free */
    pov_scene_position_cov(&f->views[camera].scene, own, &entity->position);
    const double nis = nis_of(&entity->position.mean_m, own, &at_m, theirs);
    return nis < alike_nis_max ? nis : 1e6;
}

/* Gives the member's things in a camera's newest view the numbers that they have in the others'. A number holds until another
 * camera sees that it is another's. */
static void number_things(pov_scene_fusion *f, int camera, int member)
{
    camera_view *view = &f->views[camera];
    const int count = count_of(f, member);
    int own[POV_FOUND_MAX], rows = 0, column_of_row[POV_FOUND_MAX];
    double cost[POV_FOUND_MAX * POV_FOUND_MAX];
    for (int k = 0; k < count; k++) {
        const pov_id id = find_own(f, camera, member, k);
        if (id == POV_ID_NONE || !view->scene.entities[id].placed) {
            view->number[member][k] = -1;
            continue;
        }
        for (int number = 0; number < count; number++) {
            const double held = view->number[member][k] == number ? 1 : 0;
            cost[rows * count + number] =
                cost_of(f, &view->scene.entities[id], camera, member, number, view->now_ns) - 10 * held -
                (number == k ? 1e-3 : 0);
        }
        own[rows++] = k;
    }
    if (rows == 0)
        return;
    pov_assign(column_of_row, cost, rows, count);
    for (int i = 0; i < rows; i++)
        view->number[member][own[i]] = cost[i * count + column_of_row[i]] < 1e5 ? column_of_row[i] : -1;
}

/* -------- the estimate -------- */

/* The cameras whose newest images show it; if none does, the one that saw it last, alone: a thing that is hidden may be moved. */
static void add_thing(pov_scene_fusion *f, pov_camera_fusion *solver, const bool *takes_part, int member,
                      int number, int64_t now_ns)
{
    pov_camera_thing *thing = NULL;
    pov_entity latest, entity;
    int latest_camera = -1;
    for (int c = 0; c < f->cameras; c++) {
        if (!takes_part[c] || !take_sighting(f, &entity, c, member, number, now_ns) || !entity.placed ||
            entity.track.lost)
            continue;
        if (entity.seen && is_fresh(f, c, now_ns)) {
            if (!thing)
                thing = pov_camera_fusion_add(solver, member, number);
            if (thing)
                pov_camera_fusion_see(solver, thing, c, &entity);
        } else if (latest_camera < 0 || entity.track.hidden_s < latest.track.hidden_s) {
            latest = entity;
            latest_camera = c;
        }
    }
    if (!thing && latest_camera >= 0 && (thing = pov_camera_fusion_add(solver, member, number)))
        pov_camera_fusion_see(solver, thing, latest_camera, &latest);
}

static void begin_estimate(pov_scene_fusion *f, pov_camera_fusion *solver, const bool *takes_part,
                           int64_t now_ns)
{
    pov_camera_fusion_begin(solver, f->cameras);
    memcpy(solver->clock_std_s, f->stated_clock_std_s, sizeof solver->clock_std_s);
    for (int c = 0; c < f->cameras; c++)
        if (takes_part[c])
            pov_camera_fusion_camera(solver, c, &f->views[c].T_table_camera);
    for (int i = 0; i < f->cast.len; i++)
        for (int k = 0; f->cast.members[i].found_by && k < count_of(f, i); k++)
            add_thing(f, solver, takes_part, i, k, now_ns);
}

/* -------- who is wrong -------- */

/* Remembers where two cameras and more agree that things at rest are. */
static void agree(pov_scene_fusion *f, int64_t now_ns)
{
    for (int t = 0; t < f->solver->thing_len; t++) {
        const pov_camera_thing *thing = &f->solver->things[t];
        pov_agreed_place *agreed = agreed_of(f, thing->member, thing->number);
        if (!thing->is_at_rest) {
            agreed->is_known = false;
            continue;
        }
        if (thing->len < 2)
            continue;
        agreed->is_known = true;
        agreed->now_ns = now_ns;
        pov_camera_fusion_place(f->solver, thing, &agreed->at_m, agreed->cov_m2);
    }
}

/* The median, over the things that it sees at rest, of the squared distance from where they were agreed to be; NaN: none. */
static double median_jump(pov_scene_fusion *f, int camera, int64_t now_ns)
{
    static const int64_t agreed_max_ns = 60000000000; /* chosen */
    double jumps[POV_CAMERA_THING_MAX];
    int len = 0;
    for (int t = 0; t < f->solver->thing_len; t++) {
        const pov_camera_thing *thing = &f->solver->things[t];
        pov_agreed_place *agreed = agreed_of(f, thing->member, thing->number);
        const pov_camera_sight *sight = pov_camera_fusion_sight(thing, camera);
        if (!sight || !agreed->is_known || now_ns - agreed->now_ns > agreed_max_ns)
            continue;
        double cov[3][3];
        const pov_position own = {.mean_m = sight->at_m};
        pov_position whole = own;
        memcpy(whole.own_cov_m2, sight->own_m2, sizeof whole.own_cov_m2);
        memcpy(whole.per_camera_pose, sight->per_camera_pose, sizeof whole.per_camera_pose);
        pov_scene_position_cov(&f->views[camera].scene, cov, &whole);
        const double nis = nis_of(&sight->at_m, cov, &agreed->at_m, agreed->cov_m2);
        int at = len++;
        for (; at > 0 && jumps[at - 1] > nis; at--)
            jumps[at] = jumps[at - 1];
        jumps[at] = nis;
    }
    return len > 0 ? jumps[len / 2] : NAN;
}

/* What would explain that a camera contradicts the others: a move, a clock, or nothing. */
static void explain(pov_scene_fusion *f, pov_fusion_report *report, const bool *others, int camera,
                    int64_t now_ns)
{
    bool all[POV_CAMERA_MAX];
    memcpy(all, others, sizeof all);
    all[camera] = true;
    begin_estimate(f, f->solver, all, now_ns);
    pov_camera_fusion_explain(f->solver, report, camera);
}

/* The camera without which the others agree, -1: none. Of two, the one whose things have jumped while the other's have not. */
static int find_guilty(pov_scene_fusion *f, const bool *takes_part, int64_t now_ns)
{
    static const double jump = 16; /* chi-square 3: 1e-3 */
    int guilty = -1, jumped = 0, fitting = 0, still = -1, count = 0;
    for (int c = 0; c < f->cameras; c++) {
        if (!takes_part[c])
            continue;
        count++;
        const double by = median_jump(f, c, now_ns);
        if (by > jump) {
            jumped++;
            guilty = c;
        }
    }
    if (jumped == 1)
        return guilty;
    for (int c = 0; c < f->cameras && count > 2; c++) {
        bool rest[POV_CAMERA_MAX];
        memcpy(rest, takes_part, sizeof rest);
        if (!rest[c])
            continue;
        rest[c] = false;
        begin_estimate(f, f->solver, rest, now_ns);
        pov_camera_fusion_solve(f->solver);
        if (pov_camera_fusion_fits(f->solver)) {
            fitting++;
            still = c;
        }
    }
    return fitting == 1 ? still : -1;
}

/* A verdict is told once it has held. */
static void tell_verdict(camera_trust *trust, const pov_fusion_report *report, int64_t now_ns)
{
    if (trust->verdict != report->verdict) {
        trust->verdict = report->verdict;
        trust->since_ns = now_ns;
    }
    if (now_ns - trust->since_ns >= latch_ns)
        trust->report = *report;
}

/* The first suspect but one. */
static int find_other(const bool *suspects, int cameras, int camera)
{
    for (int c = 0; c < cameras; c++)
        if (c != camera && suspects[c])
            return c;
    return camera;
}

/* A camera that may be wrong, or not: its pose is as unsure as the move that would make it fit the others, or as few things are apart,
 * which may have moved. False: many are apart, and no move explains it: nothing is known of the pose. */
static bool doubt_pose(pov_scene_fusion *f, const pov_fusion_report *report)
{
    enum { FEW = 2 };
    const bool is_unexplained = !(report->moved_m > 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            f->doubt[i][j] = report->move[i] * report->move[j] +
                             (i == j && is_unexplained ? report->apart_m * report->apart_m : 0); /* at 1 m */
    return !is_unexplained || report->things <= FEW;
}

/* What the audit found, once it has something to say, is what seconds of images say. */
static void take_finding(pov_fusion_report *report, const pov_camera_finding *finding)
{
    const bool keeps_move = finding->verdict == POV_FUSION_MOVED && report->verdict == POV_FUSION_MOVED;
    report->verdict = finding->verdict;
    report->is_one_of_several = !finding->is_one_kind;
    report->late_s = finding->late_s;
    report->zoom = finding->zoom;
    if (keeps_move) /* not linear */
        return;
    report->moved_m = report->turned_rad = NAN;
    memset(report->move, 0, sizeof report->move);
    if (finding->verdict != POV_FUSION_MOVED)
        return;
    const double *move = finding->move;
    memcpy(report->move, move, sizeof report->move);
    report->turned_rad = sqrt(move[0] * move[0] + move[1] * move[1] + move[2] * move[2]);
    report->moved_m = sqrt(move[3] * move[3] + move[4] * move[4] + move[5] * move[5]);
}

/* Cameras that contradict others in the newest images, or over time. */
typedef struct {
    bool suspects[POV_CAMERA_MAX], guilty[POV_CAMERA_MAX]; /* guilty: to be left out */
    bool any, is_named;     /* is_named: the suspects are guilty; else it cannot be told which */
    int swapped[2];         /* -1: none */
    bool is_one_of_several; /* pairs that may be swapped */
} accusation;

/* What the others say of one camera. */
static pov_fusion_report judge_suspect(pov_scene_fusion *f, const bool *all, const accusation *of, int camera,
                                       int64_t now_ns)
{
    pov_fusion_report report;
    bool others[POV_CAMERA_MAX];
    memcpy(others, all, sizeof others);
    others[camera] = false;
    explain(f, &report, others, camera, now_ns);
    report.left_out = of->guilty[camera];
    if (of->swapped[0] >= 0) {
        report.verdict = POV_FUSION_SWAPPED;
        report.other = of->swapped[camera == of->swapped[0]];
        report.is_one_of_several = of->is_one_of_several;
        report.moved_m = report.turned_rad = NAN;
        memset(report.move, 0, sizeof report.move);
    } else if (!of->is_named) {
        report.verdict = POV_FUSION_UNDECIDED;
        report.other = find_other(of->suspects, f->cameras, camera);
    } else if (f->finding.is_fault && f->finding.camera == camera) {
        take_finding(&report, &f->finding);
    }
    return report;
}

static void accuse(accusation *of, int camera)
{
    of->any = of->is_named = true;
    of->suspects[camera] = of->guilty[camera] = true;
}

/* Cameras whose images are each other's, so that all agree once they are exchanged. Around a table, exchanging other pairs may do as well:
 * then all of these are accused. */
static void find_swapped(pov_scene_fusion *f, accusation *of, const bool *all, int64_t now_ns)
{
    accusation swapped = {.swapped = {-1, -1}};
    for (int a = 0; a < f->cameras; a++)
        for (int b = a + 1; b < f->cameras; b++) {
            if (!all[a] || !all[b] || f->views[a].is_not_swappable || f->views[b].is_not_swappable)
                continue;
            begin_estimate(f, f->solver, all, now_ns);
            pov_camera_fusion_swap(f->solver, a, b);
            pov_camera_fusion_solve(f->solver);
            if (f->solver->nis_len == 0 || !pov_camera_fusion_fits(f->solver))
                continue;
            swapped.is_one_of_several = swapped.any;
            memcpy(swapped.swapped, (int[2]){a, b}, sizeof swapped.swapped);
            accuse(&swapped, a);
            accuse(&swapped, b);
        }
    if (swapped.any)
        *of = swapped;
}

static int count_cameras(const bool *cameras, int len)
{
    int count = 0;
    for (int c = 0; c < len; c++)
        count += cameras[c];
    return count;
}

/* Whether a camera's contradiction has neither a move, a clock nor a lens that explains it. */
static bool is_unexplained(pov_scene_fusion *f, const bool *all, int guilty, int64_t now_ns)
{
    pov_fusion_report report;
    bool others[POV_CAMERA_MAX];
    if (f->finding.is_fault)
        return false;
    if (guilty < 0)
        return true;
    memcpy(others, all, sizeof others);
    others[guilty] = false;
    explain(f, &report, others, guilty, now_ns);
    return report.verdict == POV_FUSION_UNLIKE;
}

/* Seconds of images: each tenth of one. The audit's cost grows with the fourth power of the cameras, and beyond eight it looks back as much
 * more seldom as that takes for one look and a camera; every two seconds at least, as far as it looks. */
static void look_back(pov_scene_fusion *f, int64_t now_ns)
{
    static const int64_t least_ns = 100000000, most_ns = 2000000000; /* chosen */
    const double more = fmax(1, f->cameras / 8.0);
    const int64_t period_ns = (int64_t)fmin((double)most_ns, (double)least_ns * more * more * more);
    pov_camera_audit_add(f->audit, f->solver, now_ns);
    if (f->has_looked && now_ns - f->finding_ns < period_ns && now_ns >= f->finding_ns)
        return;
    f->has_looked = true;
    f->finding_ns = now_ns;
    f->finding = pov_camera_audit_find(f->audit, f->solver);
    pov_camera_audit_clocks(f->clock_std_s, f->audit, f->solver);
}

static accusation find_accused(pov_scene_fusion *f, const bool *all, int64_t now_ns)
{
    accusation of = {.swapped = {-1, -1}};
    begin_estimate(f, f->solver, all, now_ns);
    pov_camera_fusion_solve(f->solver);
    const bool fits = pov_camera_fusion_fits(f->solver);
    if (!fits && f->fits_since_ns < now_ns - latch_ns)
        pov_camera_audit_forget(f->audit); /* what is new is told from what was */
    look_back(f, now_ns);
    if (fits && !f->finding.is_fault) {
        f->fits_since_ns = f->fits_since_ns < now_ns ? f->fits_since_ns : now_ns;
        if (now_ns - f->fits_since_ns >= latch_ns)
            agree(f, now_ns);
        return of;
    }
    f->fits_since_ns = INT64_MAX;
    int guilty = fits ? -1 : find_guilty(f, all, now_ns);
    if (guilty < 0 && f->finding.is_fault && f->finding.camera >= 0 && all[f->finding.camera])
        guilty = f->finding.camera;
    if (guilty >= 0)
        accuse(&of, guilty);
    of.any = true;
    for (int c = 0; c < f->cameras && guilty < 0; c++)
        of.suspects[c] = all[c];
    if (!fits && is_unexplained(f, all, guilty, now_ns))
        find_swapped(f, &of, all, now_ns);
    if (count_cameras(all, f->cameras) - count_cameras(of.guilty, f->cameras) < 1)
        memset(of.guilty, 0, sizeof of.guilty); /* nobody is left: each image stands for itself */
    return of;
}

/* Out: takes_part: without the cameras that are not to be mixed with that of the newest image, `own`. */
static void choose_cameras(pov_scene_fusion *f, bool *takes_part, int own, int64_t now_ns)
{
    bool all[POV_CAMERA_MAX];
    memcpy(all, takes_part, sizeof all);
    memset(f->doubt, 0, sizeof f->doubt);
    const accusation of = find_accused(f, all, now_ns);
    const bool is_alone = of.any && count_cameras(of.guilty, f->cameras) == 0;
    for (int c = 0; c < f->cameras; c++) {
        pov_fusion_report report = {.moved_m = NAN, .turned_rad = NAN};
        if (of.suspects[c])
            report = judge_suspect(f, all, &of, c, now_ns);
        takes_part[c] =
            all[c] && (is_alone ? c == own && of.swapped[0] < 0 && doubt_pose(f, &report) : !of.guilty[c]);
        if (all[c])
            tell_verdict(&f->trust[c], &report, now_ns);
    }
}

/* Where a thing is by now, if the time since it was seen is unsure. */
static void add_unsure_time(double cov_m2[3][3], const pov_camera_sight *sight, double variance_s2)
{
    const double v_m_s[3] = {sight->velocity_m_s.x, sight->velocity_m_s.y, sight->velocity_m_s.z};
    for (int k = 0; k < 9; k++)
        cov_m2[k / 3][k % 3] +=
            variance_s2 * (v_m_s[k / 3] * v_m_s[k % 3] + sight->velocity_cov[k / 3][k % 3]);
}

static double clock_variance_s2(const pov_scene_fusion *f, int camera)
{
    return f->clock_std_s[camera] * f->clock_std_s[camera];
}

/* By the clock of one camera, what others see move may be elsewhere. */
static void doubt_clocks(const pov_scene_fusion *f, pov_camera_fusion *solver, int camera)
{
    for (int t = 0; t < solver->thing_len; t++)
        for (int i = 0; i < solver->things[t].len && !solver->things[t].is_at_rest; i++) {
            pov_camera_sight *sight = &solver->things[t].sights[i];
            if (sight->camera != camera)
                add_unsure_time(sight->own_m2, sight,
                                clock_variance_s2(f, sight->camera) + clock_variance_s2(f, camera));
        }
}

/* The clock of the camera itself may be off, too: of its image's time that says as much as of its place. */
static void doubt_own_clock(const pov_scene_fusion *f, pov_entity *entity, const pov_camera_thing *thing,
                            int camera)
{
    const pov_camera_sight *own = pov_camera_fusion_sight(thing, camera);
    if (f->cameras > 1 && own && !thing->is_at_rest)
        add_unsure_time(entity->position.own_cov_m2, own, clock_variance_s2(f, camera));
}

/* -------- the scene -------- */

/* The thing as this camera's image shows it, else as another's view has it. */
static bool take_base(pov_scene_fusion *f, pov_entity *base, pov_id *own, const bool *takes_part, int camera,
                      int member, int number, int64_t now_ns)
{
    bool has = false;
    *own = find_numbered(f, camera, member, number);
    if (*own != POV_ID_NONE) {
        *base = f->views[camera].scene.entities[*own];
        has = true;
    }
    for (int c = 0; c < f->cameras; c++) {
        pov_entity other;
        if (c == camera || !takes_part[c] || !take_sighting(f, &other, c, member, number, now_ns))
            continue;
        const bool is_better = other.placed && (!has || !base->placed || !takes_part[camera]);
        if (!is_better)
            continue;
        const bool seen = has && base->seen, has_box = has && base->has_image_box;
        const pov_pixel_box box = has ? base->image_box : (pov_pixel_box){0};
        const double look_age_s = has ? base->look_age_s : 0;
        *base = other;
        base->seen = seen;
        base->has_image_box = has_box;
        base->image_box = box;
        base->look_age_s = look_age_s;
        has = true;
    }
    return has;
}

/* What all views know of a thing's track. */
static void join_tracks(pov_scene_fusion *f, pov_entity *entity, const bool *takes_part, int member,
                        int number, int64_t now_ns)
{
    double surest = INFINITY;
    for (int c = 0; c < f->cameras; c++) {
        pov_entity other;
        if (!takes_part[c] || !take_sighting(f, &other, c, member, number, now_ns) || !other.track.tracked ||
            other.track.lost)
            continue;
        pov_entity_track *track = &entity->track;
        if (!track->tracked || track->lost) {
            *track = other.track;
            surest = INFINITY;
        }
        track->hidden_s = fmin(track->hidden_s, other.track.hidden_s);
        track->age_s = fmax(track->age_s, other.track.age_s);
        track->other_p = fmin(track->other_p, other.track.other_p);
        const double var = other.velocity_cov_m2_s2[0][0] + other.velocity_cov_m2_s2[1][1];
        if (!other.has_velocity || var >= surest)
            continue;
        surest = var;
        track->motion = other.track.motion;
        entity->has_velocity = true;
        entity->velocity_m_s = other.velocity_m_s;
        memcpy(entity->velocity_cov_m2_s2, other.velocity_cov_m2_s2, sizeof entity->velocity_cov_m2_s2);
        entity->has_turn_rate = other.has_turn_rate;
        entity->turn_rate_rad_s = other.turn_rate_rad_s;
        entity->turn_rate_std_rad_s = other.turn_rate_std_rad_s;
    }
    if (entity->seen)
        entity->track.hidden_s = 0;
}

static const pov_camera_thing *find_thing(const pov_camera_fusion *solver, int member, int number)
{
    for (int t = 0; t < solver->thing_len; t++)
        if (solver->things[t].member == member && solver->things[t].number == number)
            return &solver->things[t];
    return NULL;
}

static pov_id append_entity(pov_scene *scene, const pov_entity *entity)
{
    POV_REQUIRE(scene->len < POV_ENTITY_MAX);
    scene->entities[scene->len] = *entity;
    return scene->len++;
}

/* Where a camera that is left out has a thing is not known: what is left is what its image shows. */
static void forget_place(pov_entity *entity, const pov_entity *member)
{
    const pov_entity was = *entity;
    *entity = *member;
    memcpy(entity->name, was.name, sizeof entity->name);
    entity->seen = was.seen;
    entity->has_image_box = was.has_image_box;
    entity->image_box = was.image_box;
    entity->look_age_s = was.look_age_s;
}

static void add_member(pov_scene_fusion *f, pov_id renamed[POV_ENTITY_MAX], const bool *takes_part,
                       int camera, int member, int64_t now_ns)
{
    for (int k = 0; k < count_of(f, member); k++) {
        pov_entity entity;
        pov_id own;
        if (!take_base(f, &entity, &own, takes_part, camera, member, k, now_ns) ||
            f->fused.len == POV_ENTITY_MAX)
            continue;
        pov_cast_member_name(entity.name, &f->cast.members[member], k);
        const pov_camera_thing *thing = find_thing(f->solver, member, k);
        if (thing) {
            entity.placed = true;
            pov_camera_fusion_apply(f->solver, thing, &entity, takes_part[camera] ? camera : -1);
            doubt_own_clock(f, &entity, thing, camera);
            join_tracks(f, &entity, takes_part, member, k, now_ns);
        } else if (!takes_part[camera]) {
            forget_place(&entity, &f->cast.members[member].entity);
        }
        const pov_id id = append_entity(&f->fused, &entity);
        if (own != POV_ID_NONE)
            renamed[own] = id;
    }
}

/* The camera as the others' views correct its pose. */
static void add_camera(pov_scene_fusion *f, pov_pose *T_table_camera, pov_id renamed[POV_ENTITY_MAX],
                       const pov_scene *found, int camera)
{
    pov_entity entity = found->entities[found->camera];
    pov_camera_fusion_correct(f->solver, T_table_camera, camera);
    memcpy(f->fused.camera_pose_cov, T_table_camera->cov, sizeof f->fused.camera_pose_cov);
    double gradient[3];
    entity.position.mean_m = T_table_camera->T.t_m;
    entity.R_table_box = T_table_camera->T.R;
    entity.heading = pov_heading_single(pov_camera_yaw(gradient, T_table_camera->T.R), pov_kappa_from_std(0));
    pov_heading_tie_to_camera(&entity, gradient, T_table_camera);
    f->fused.camera = renamed[found->camera] = append_entity(&f->fused, &entity);
}

static void note_view(pov_scene_fusion *f, const pov_scene *scene, const pov_pose *T_table_camera, int camera,
                      int64_t now_ns)
{
    camera_view *view = &f->views[camera];
    view->is_there = true;
    view->now_ns = now_ns;
    view->scene = *scene;
    if (T_table_camera)
        view->T_table_camera = *T_table_camera;
    memcpy(view->T_table_camera.cov, scene->camera_pose_cov, sizeof scene->camera_pose_cov);
    for (int i = 0; i < f->cast.len; i++)
        if (f->cast.members[i].found_by && count_of(f, i) > 1)
            number_things(f, camera, i);
}

/* A lone camera that another may contradict: no other has looked yet. */
static void hold_first(pov_scene_fusion *f, bool *takes_part, int64_t now_ns)
{
    if (f->first_ns == 0 || now_ns < f->first_ns)
        f->first_ns = now_ns;
    int there = 0;
    for (int c = 0; c < f->cameras; c++)
        there += f->views[c].is_there;
    for (int c = 0; c < f->cameras && there == 1 && now_ns - f->first_ns < fresh_ns; c++)
        takes_part[c] &= !f->views[c].is_held;
}

bool pov_scene_fusion_run(pov_scene_fusion *f, pov_scene *scene, pov_pose *T_table_camera,
                          pov_id renamed[POV_ENTITY_MAX], int camera, int64_t now_ns)
{
    bool takes_part[POV_CAMERA_MAX] = {false};
    note_view(f, scene, T_table_camera, camera, now_ns);
    for (int c = 0; c < f->cameras; c++)
        takes_part[c] = f->views[c].is_there && 1e-9 * (double)(now_ns - f->views[c].now_ns) < gone_s;
    choose_cameras(f, takes_part, camera, now_ns);
    hold_first(f, takes_part, now_ns);
    begin_estimate(f, f->solver, takes_part, now_ns);
    for (int i = 0; i < 36; i++)
        f->solver->prior[camera][i / 6][i % 6] += f->doubt[i / 6][i % 6];
    if (f->cameras > 1)
        doubt_clocks(f, f->solver, camera);
    pov_camera_fusion_solve(f->solver);
    pov_camera_fusion_widen(f->solver);
    pov_camera_fusion_solve(f->solver);
    pov_scene_clear(&f->fused);
    f->fused.has_north = scene->has_north;
    f->fused.north_yaw_rad = scene->north_yaw_rad;
    for (int i = 0; i < POV_ENTITY_MAX; i++)
        renamed[i] = POV_ID_NONE;
    if (scene->camera != POV_ID_NONE && T_table_camera && takes_part[camera])
        add_camera(f, T_table_camera, renamed, scene, camera);
    for (int i = 0; i < f->cast.len; i++) {
        if (f->cast.members[i].found_by) {
            add_member(f, renamed, takes_part, camera, i, now_ns);
            continue;
        }
        const pov_id id = pov_scene_find(scene, f->cast.members[i].entity.name);
        if (id != POV_ID_NONE)
            renamed[id] = append_entity(&f->fused, &scene->entities[id]);
    }
    *scene = f->fused;
    return takes_part[camera];
}

pov_fusion_report pov_scene_fusion_report(const pov_scene_fusion *fusion, int camera)
{
    return fusion->trust[camera].report;
}
