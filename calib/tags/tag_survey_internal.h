/** Shared by the survey's parts. */
#pragma once

#include "calib/tags/pose_block.h"
#include "calib/tags/tag_survey.h"
#include "perception/tags/tag_pose.h"

/** A candidate pose of the camera of one image. */
typedef struct {
    int len;
    pov_pose T_table_camera[2];
    double cost[2]; /* -2 log probability */
} pov_survey_places;

struct pov_tag_survey {
    pov_survey_config config;
    pov_survey_report report;
    pov_survey_tag *tags;
    pov_survey_view *views;
    pov_survey_sighting *sightings;
    pov_survey_places *places; /* by view */
    bool placed[POV_TAG_MAP_MAX];
    double corner_std_px; /* of what one image shows */
    double staying_share; /* of tags that stay, beside such as are carried: so much of it; else 1 */
    pov_tags seen;        /* of one view: its placed tags, numbered */
    pov_tag_map map;      /* where these are */
    pov_camera_pose pose;
    /* the bundle adjustment's */
    int unknown_len;
    int first_unknown[POV_TAG_MAP_MAX]; /* by tag; -1: held, or not in it */
    pov_transform *T_table_camera;      /* by view: being tried */
    pov_transform T_table_tag[POV_TAG_MAP_MAX];
    pov_pose_block *blocks; /* by view */
    int *unknowns;          /* six by sighting */
    double *cross, *cross_solved;
    double *tag_equations; /* 36 by tag */
    double widening;       /* of the covariances, by what images scatter */
    double *pull;          /* like unknowns: each view's share of the gradient */
    double *gradient, *right, *S;
    /* while other lenses are tried */
    struct {
        pov_pose T_table_tag;
        double by_lens[6][6]; /* covariance */
    } kept[POV_TAG_MAP_MAX];
    struct {
        pov_pose T_table_camera;
        double by_lens[6][6];
    } * kept_camera; /* by view */
};

/** Held in its place: fixed, or known exactly. */
bool pov_survey_is_held(const pov_tag_survey *survey, int tag);

/** Bundle adjustment over the used sightings. Out: placed tags' poses and covariances, located views' poses.
 *  Returns false if they are not determined. */
bool pov_survey_fit(pov_tag_survey *survey);

/** Widens the tags' covariances, and cameras', as far as images scatter more than independent corners would: a lens that breathes, a
 *  rolling shutter and bent tags make the corners of one image err together. Needs: fitted. */
void pov_survey_scatter(pov_tag_survey *survey);

/** Proposes panels: tags in one plane, and the error that they share by the images. Needs: fitted, not yet widened by the lens. */
void pov_survey_propose_panels(pov_tag_survey *survey);

/** Adds to the tags' covariances what the lens's does to them: the fit again through each camera that may be the true one. */
void pov_survey_widen(pov_tag_survey *survey);

/** Finds each view's place by the tags placed so far, and which of its sightings agree. */
void pov_survey_locate(pov_tag_survey *survey);

/** The same for one view. */
void pov_survey_locate_view(pov_tag_survey *survey, int view);

/** Fewer tags say nothing: of an image by a camera that goes around, one alone; a camera that stays has a place by one. */
int pov_survey_tags_min(const pov_tag_survey *survey);

/** The camera that took what was seen. */
const pov_camera *pov_survey_camera_of(const pov_tag_survey *survey, const pov_survey_sighting *seen);

/** How far a sighting is from where the map and its view's place have it, and whether it is no outlier so. */
double pov_survey_distance2(const pov_tag_survey *survey, const pov_survey_sighting *seen);
bool pov_survey_fits(const pov_tag_survey *survey, const pov_survey_sighting *seen);

/** Takes images back, and tags in them, that fit the map after all. Returns how often. Needs: fitted. */
int pov_survey_readmit(pov_tag_survey *survey);

/** Judges again which sightings agree with the map and the views' places, where these are known well. */
void pov_survey_sift(pov_tag_survey *survey);

/** A tag's place by the located views: the best candidate, if it leaves no doubt. */
bool pov_survey_place_tag(pov_tag_survey *survey, int tag);

/** Places the tags that the located views leave no doubt of. Returns how many. */
int pov_survey_grow(pov_tag_survey *survey);

/** Measures the edges of tags that have no place: a wrong size lets none fit. */
void pov_survey_measure_edges(pov_tag_survey *survey);

/** Says of tags that have no place why, and what to do. */
void pov_survey_explain(pov_tag_survey *survey);
