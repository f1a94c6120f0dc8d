#include "calib/tags/tag_survey_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool sees(const pov_tag_survey *s, int view, int tag)
{
    for (int i = 0; i < s->views[view].seen_len; i++)
        if (s->sightings[s->views[view].first_sighting + i].tag == tag)
            return true;
    return false;
}

/* Writes the tags seen together with one, three at most; returns how many there are. */
static int list_companions(char text[64], const pov_tag_survey *s, int tag)
{
    int count = 0;
    text[0] = '\0';
    for (int other = 0; other < s->report.tag_len; other++) {
        bool together = false;
        for (int v = 0; v < s->report.view_len && other != tag; v++)
            together |= sees(s, v, tag) && sees(s, v, other);
        if (!together)
            continue;
        size_t length = strlen(text);
        if (count < 3)
            snprintf(text + length, 64 - length, "%s%d", count ? ", " : "", s->tags[other].entry.id);
        count++;
    }
    if (count > 3)
        strcat(text, ", ...");
    return count;
}

/* Mapped tags that a picture might show beside it: those seen most. */
static void list_mapped(char text[64], const pov_tag_survey *s)
{
    int first = -1, second = -1;
    for (int t = 0; t < s->report.tag_len; t++) {
        if (!s->placed[t])
            continue;
        if (first < 0 || s->tags[t].seen_len > s->tags[first].seen_len) {
            second = first;
            first = t;
        } else if (second < 0 || s->tags[t].seen_len > s->tags[second].seen_len) {
            second = t;
        }
    }
    text[0] = '\0';
    if (first >= 0)
        snprintf(text, 64, second >= 0 ? "%d or %d" : "%d", s->tags[first].entry.id,
                 second >= 0 ? s->tags[second].entry.id : 0);
}

static void explain_unlinked(pov_survey_tag *tag, const pov_tag_survey *s, int t)
{
    char companions[64], mapped[64];
    int count = list_companions(companions, s, t);
    list_mapped(mapped, s);
    if (tag->seen_len == 0)
        snprintf(tag->why, sizeof tag->why,
                 "there are two of it in every image that shows it: print another number");
    else if (count == 0)
        snprintf(tag->why, sizeof tag->why,
                 "seen in %d image%s, with no other tag: take a picture showing it together with %s",
                 tag->seen_len, tag->seen_len == 1 ? " only" : "s", mapped);
    else
        snprintf(tag->why, sizeof tag->why,
                 "seen in %d image%s, only with %s, which %s not linked either: take a picture showing one "
                 "of them "
                 "together with %s",
                 tag->seen_len, tag->seen_len == 1 ? "" : "s", companions, count == 1 ? "is" : "are", mapped);
}

static void explain_moved(pov_survey_tag *tag, bool is_held)
{
    if (is_held)
        snprintf(tag->why, sizeof tag->why,
                 "the map rests on it, but images see it in different places: it was moved, or there are two "
                 "of it; take the "
                 "pictures again, or fix another");
    else if (tag->is_known)
        snprintf(tag->why, sizeof tag->why,
                 "not where the known map has it, or moved: correct its line in that map, or leave it out");
    else
        snprintf(tag->why, sizeof tag->why,
                 "images see it in different places: it was moved between pictures, or there are two of it; "
                 "take the "
                 "pictures again");
}

static void explain_view(pov_survey_view *view, const pov_tag_survey *s)
{
    int mapped = 0;
    for (int i = 0; i < view->seen_len; i++) {
        const pov_survey_sighting *seen = &s->sightings[view->first_sighting + i];
        mapped += s->placed[seen->tag] && !seen->is_twice;
    }
    view->why[0] = '\0';
    if (view->is_left_out)
        snprintf(view->why, sizeof view->why, "left out by --without");
    else if (view->seen_len == 0)
        snprintf(view->why, sizeof view->why, "shows no tag");
    else if (view->used_len == 0 && mapped < 2)
        snprintf(view->why, sizeof view->why, "shows fewer than two tags of the map");
    else if (view->used_len == 0)
        snprintf(view->why, sizeof view->why, "no two of its %d mapped tags fit: misread, or moved", mapped);
}

void pov_survey_explain(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++) {
        pov_survey_tag *tag = &s->tags[t];
        tag->why[0] = '\0';
        if (!isnan(tag->measured_edge_m))
            snprintf(
                tag->why, sizeof tag->why,
                "its edge is %.4g mm by the images, not %.4g: correct its size, the edge of the black square",
                1e3 * tag->measured_edge_m, 1e3 * tag->entry.edge_m);
        else if (tag->outcome == POV_SURVEY_MOVED)
            explain_moved(tag, s->placed[t]);
        else if (tag->outcome == POV_SURVEY_AMBIGUOUS)
            snprintf(tag->why, sizeof tag->why,
                     "seen in %d image%s, from where its mirrored pose fits nearly as well: take a picture "
                     "of it from nearer, "
                     "aslant, with other tags",
                     tag->seen_len, tag->seen_len == 1 ? "" : "s");
        else if (tag->outcome == POV_SURVEY_NOT_LINKED)
            explain_unlinked(tag, s, t);
    }
    for (int v = 0; v < s->report.view_len; v++)
        explain_view(&s->views[v], s);
}
