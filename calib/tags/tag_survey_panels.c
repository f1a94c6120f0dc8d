#include "calib/tags/tag_survey_internal.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tags of one plane face the same way to this angle, and lie as near to it. Chosen: sheets and walls, as people glue tags. */
static const double FACES_RAD = 3 * POV_PI / 180, PLANE_M = 0.005;

enum { PANEL_TAGS_MIN = 3 };

static bool is_on_plane(const pov_tag_map_entry *entry, const pov_tag_map_entry *first)
{
    const pov_vec3 normal = pov_rot_column(&first->T_table_tag.T.R, 2),
                   own = pov_rot_column(&entry->T_table_tag.T.R, 2),
                   arm = pov_vec3_sub(entry->T_table_tag.T.t_m, first->T_table_tag.T.t_m);
    return pov_vec3_dot(normal, own) > cos(FACES_RAD) && fabs(pov_vec3_dot(normal, arm)) < PLANE_M;
}

/* The tags that may be on a panel with `first`: mapped, on none yet. */
static int find_plane(int on[POV_TAG_MAP_MAX], const pov_tag_survey *s, int first)
{
    int len = 0;
    for (int t = first; t < s->report.tag_len; t++) {
        const pov_tag_map_entry *entry = &s->tags[t].entry;
        if (s->placed[t] && s->tags[t].instant == 0 && s->first_unknown[t] >= 0 && !entry->panel.name[0] &&
            is_on_plane(entry, &s->tags[first].entry))
            on[len++] = t;
    }
    return len;
}

static pov_vec3 find_middle(const pov_tag_survey *s, const int *on, int len)
{
    pov_vec3 sum = {0, 0, 0};
    for (int i = 0; i < len; i++)
        sum = pov_vec3_add(sum, s->tags[on[i]].entry.T_table_tag.T.t_m);
    return pov_vec3_scale(sum, 1.0 / len);
}

/* Adds the covariance of the panel's six errors that tags `a` and `b` have together, by the joint covariance of all tags. */
static void add_shared(double shared[36], pov_tag_survey *s, int a, int b, double widening)
{
    const int n = s->unknown_len;
    double back_a[6][6], back_b[6][6];
    pov_tag_map_entry entry_a = s->tags[a].entry, entry_b = s->tags[b].entry;
    /* the panel's error by the tag's: the arm the other way */
    entry_a.panel.middle_m =
        pov_vec3_sub(pov_vec3_scale(entry_a.T_table_tag.T.t_m, 2), entry_a.panel.middle_m);
    entry_b.panel.middle_m =
        pov_vec3_sub(pov_vec3_scale(entry_b.T_table_tag.T.t_m, 2), entry_b.panel.middle_m);
    pov_tag_by_panel(back_a, &entry_a);
    pov_tag_by_panel(back_b, &entry_b);
    for (int column = 0; column < 6; column++) {
        memset(s->right, 0, (size_t)n * sizeof *s->right);
        s->right[s->first_unknown[b] + column] = widening;
        pov_cholesky_solve(s->right, s->S, s->right, n);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                for (int row = 0; row < 6; row++)
                    shared[i * 6 + j] +=
                        back_a[i][row] * s->right[s->first_unknown[a] + row] * back_b[j][column];
    }
}

/* True if what is left of each tag's covariance is one. */
static bool leaves_covariances(const pov_tag_survey *s, const int *on, int len)
{
    for (int i = 0; i < len; i++) {
        const pov_tag_map_entry *entry = &s->tags[on[i]].entry;
        double share[6][6], own[36], L[36];
        pov_tag_panel_share(share, entry);
        for (int k = 0; k < 36; k++)
            own[k] = entry->T_table_tag.cov[k / 6][k % 6] - share[k / 6][k % 6];
        if (!pov_cholesky(L, own, 6))
            return false;
    }
    return true;
}

static void set_panel(pov_tag_survey *s, const int *on, int len, const pov_tag_panel *panel)
{
    for (int i = 0; i < len; i++)
        s->tags[on[i]].entry.panel = *panel;
}

/* What neighbours in the list have together stands for all: joint covariances of many tags are many. */
static void propose_panel(pov_tag_survey *s, const int *on, int len, int number, double widening)
{
    enum { HALVINGS_MAX = 20 };
    pov_tag_panel panel = {.middle_m = find_middle(s, on, len)};
    double shared[36] = {0};
    snprintf(panel.name, sizeof panel.name, "panel_%d", number);
    set_panel(s, on, len, &panel);
    for (int i = 0; i < len; i++)
        add_shared(shared, s, on[i], on[(i + 1) % len], widening / len);
    double rotation = (shared[0] + shared[7] + shared[14]) / 3,
           position = (shared[21] + shared[28] + shared[35]) / 3;
    for (int i = 0; i < HALVINGS_MAX;
         i++) { /* alike in all directions it may be more than a tag has in one */
        panel.rotation_std_rad = sqrt(fmax(0, rotation));
        panel.position_std_m = sqrt(fmax(0, position));
        set_panel(s, on, len, &panel);
        if (leaves_covariances(s, on, len))
            return;
        rotation /= 2;
        position /= 2;
    }
    set_panel(s, on, len, &(pov_tag_panel){.name = ""});
}

void pov_survey_propose_panels(pov_tag_survey *s)
{
    int on[POV_TAG_MAP_MAX], number = 0;
    for (int t = 0; t < s->report.tag_len; t++) {
        if (!s->placed[t] || s->tags[t].instant > 0 || s->first_unknown[t] < 0 ||
            s->tags[t].entry.panel.name[0])
            continue;
        const int len = find_plane(on, s, t);
        if (len >= PANEL_TAGS_MIN)
            propose_panel(s, on, len, ++number, s->widening);
    }
}
