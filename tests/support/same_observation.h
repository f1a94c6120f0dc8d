/** Two observations, value for value; NaN is the same as NaN. Include after cmocka.h. */
#pragma once

#include "tests/support/same_answers.h"

static inline void assert_same_image(const pov_image_header *a, const pov_image_header *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->sequence, b->sequence);
    assert_true(a->capture_ns == b->capture_ns && a->calibration_hash == b->calibration_hash);
    assert_int_equal(a->width_px, b->width_px);
    assert_int_equal(a->height_px, b->height_px);
    assert_int_equal(a->pose_source, b->pose_source);
    ASSERT_SAME_NUMBERS(a->T_table_camera, b->T_table_camera);
    assert_int_equal(a->candidate_len, b->candidate_len);
    for (int i = 0; i < a->candidate_len; i++)
        ASSERT_SAME_NUMBERS(a->candidates[i], b->candidates[i]);
}

static inline void assert_same_entity(const pov_entity *a, const pov_entity *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->class_name, b->class_name);
    assert_true(a->placed == b->placed && a->seen == b->seen && a->addressee == b->addressee);
    assert_true(a->look_age_s == b->look_age_s);
    ASSERT_SAME_NUMBERS(a->position, b->position);
    ASSERT_SAME_NUMBERS(a->size_m, b->size_m);
    ASSERT_SAME_NUMBERS(a->R_table_box, b->R_table_box);
    assert_true(a->has_velocity == b->has_velocity && a->has_turn_rate == b->has_turn_rate);
    ASSERT_SAME_NUMBERS(a->velocity_m_s, b->velocity_m_s);
    ASSERT_SAME_NUMBERS(a->velocity_cov_m2_s2, b->velocity_cov_m2_s2);
    ASSERT_SAME_NUMBERS(a->turn_rate_rad_s, b->turn_rate_rad_s);
    ASSERT_SAME_NUMBERS(a->turn_rate_std_rad_s, b->turn_rate_std_rad_s);
    assert_true(a->track.tracked == b->track.tracked && a->track.lost == b->track.lost);
    assert_int_equal(a->track.motion, b->track.motion);
    ASSERT_SAME_NUMBERS(a->track.age_s, b->track.age_s);
    ASSERT_SAME_NUMBERS(a->track.hidden_s, b->track.hidden_s);
    ASSERT_SAME_NUMBERS(a->track.other_p, b->track.other_p);
    assert_int_equal(a->heading.len, b->heading.len);
    ASSERT_SAME_NUMBERS(a->heading_ties, b->heading_ties);
    for (int i = 0; i < a->heading.len; i++)
        ASSERT_SAME_NUMBERS(a->heading.mode[i], b->heading.mode[i]);
}

static inline void assert_same_scene(const pov_scene *a, const pov_scene *b)
{
    assert_int_equal(a->len, b->len);
    for (int i = 0; i < a->len; i++)
        assert_same_entity(&a->entities[i], &b->entities[i]);
    assert_int_equal(a->camera, b->camera);
    ASSERT_SAME_NUMBERS(a->camera_pose_cov, b->camera_pose_cov);
    assert_int_equal(a->has_north, b->has_north);
    ASSERT_SAME_NUMBERS(a->north_yaw_rad, b->north_yaw_rad);
}

static inline void assert_same_judgment(const pov_judgment *a, const pov_judgment *b)
{
    assert_int_equal(a->query.referent, b->query.referent);
    assert_int_equal(a->query.relatum_len, b->query.relatum_len);
    for (int i = 0; i < a->query.relatum_len; i++)
        assert_int_equal(a->query.relatum[i], b->query.relatum[i]);
    assert_ptr_equal(a->query.relation, b->query.relation);
    assert_int_equal(a->query.perspective, b->query.perspective);
    assert_int_equal(a->query.viewer, b->query.viewer);
    assert_int_equal(a->doubt, b->doubt);
    assert_int_equal(a->query.convention, b->query.convention);
    assert_int_equal(a->query.axis, b->query.axis);
    assert_int_equal(a->query.acceptance, b->query.acceptance);
    assert_int_equal(a->belief.verdict, b->belief.verdict);
    ASSERT_SAME_NUMBERS(a->belief.p, b->belief.p);
    ASSERT_SAME_NUMBERS(a->belief.p_std, b->belief.p_std);
    ASSERT_SAME_NUMBERS(a->theta_rad, b->theta_rad);
    ASSERT_SAME_NUMBERS(a->theta_std_rad, b->theta_std_rad);
    ASSERT_SAME_NUMBERS(a->flip_distance_m, b->flip_distance_m);
    assert_int_equal(a->containment, b->containment);
    ASSERT_SAME_NUMBERS(a->p_internal, b->p_internal);
}

static inline void assert_same_tag(const pov_observed_tag *a, const pov_observed_tag *b)
{
    assert_int_equal(a->tag.family, b->tag.family);
    assert_int_equal(a->tag.id, b->tag.id);
    ASSERT_SAME_NUMBERS(a->tag.corner_px, b->tag.corner_px);
    ASSERT_SAME_NUMBERS(a->tag.corner_std_px, b->tag.corner_std_px);
    assert_int_equal(a->tag.bits_corrected, b->tag.bits_corrected);
    ASSERT_SAME_NUMBERS(a->tag.decision_margin, b->tag.decision_margin);
    assert_int_equal(a->outcome, b->outcome);
    ASSERT_SAME_NUMBERS(a->residual_px, b->residual_px);
}

static inline void assert_same_tags(const pov_observation *a, const pov_observation *b)
{
    assert_int_equal(a->tag_len, b->tag_len);
    assert_int_equal(a->tags_truncated, b->tags_truncated);
    for (int i = 0; i < a->tag_len; i++)
        assert_same_tag(&a->tags[i], &b->tags[i]);
}

static inline void assert_same_sight(const pov_visibility *a, const pov_visibility *b)
{
    assert_true(a->viewer == b->viewer && a->target == b->target && a->cause == b->cause);
    assert_int_equal(a->sees.verdict, b->sees.verdict);
    ASSERT_SAME_NUMBERS(a->sees.p, b->sees.p);
    ASSERT_SAME_NUMBERS(a->sees.p_std, b->sees.p_std);
    ASSERT_SAME_NUMBERS(a->fraction_visible, b->fraction_visible);
    ASSERT_SAME_NUMBERS(a->fraction_expected, b->fraction_expected);
    ASSERT_SAME_NUMBERS(a->fraction_out_of_view, b->fraction_out_of_view);
    ASSERT_SAME_NUMBERS(a->fraction_hidden, b->fraction_hidden);
    ASSERT_SAME_NUMBERS(a->fraction_out_of_range, b->fraction_out_of_range);
    ASSERT_SAME_NUMBERS(a->size_rad, b->size_rad);
    assert_int_equal(a->occluder_len, b->occluder_len);
    for (int i = 0; i < a->occluder_len; i++) {
        assert_int_equal(a->occluders[i].id, b->occluders[i].id);
        ASSERT_SAME_NUMBERS(a->occluders[i].share, b->occluders[i].share);
    }
}

static inline void assert_same_observation(const pov_observation *a, const pov_observation *b)
{
    assert_same_image(&a->image, &b->image);
    assert_same_tags(a, b);
    assert_int_equal(a->lens.known, b->lens.known);
    assert_int_equal(a->lens.stale, b->lens.stale);
    ASSERT_SAME_NUMBERS(a->lens.zoom, b->lens.zoom);
    ASSERT_SAME_NUMBERS(a->lens.zoom_std, b->lens.zoom_std);
    ASSERT_SAME_NUMBERS(a->lens.misfit, b->lens.misfit);
    assert_int_equal(a->turntable.known, b->turntable.known);
    assert_int_equal(a->turntable.tag_len, b->turntable.tag_len);
    ASSERT_SAME_NUMBERS(a->turntable.angle_rad, b->turntable.angle_rad);
    ASSERT_SAME_NUMBERS(a->turntable.std_rad, b->turntable.std_rad);
    assert_same_scene(&a->scene, &b->scene);
    assert_int_equal(a->judgment_len, b->judgment_len);
    assert_int_equal(a->directed_len, b->directed_len);
    assert_int_equal(a->directed_truncated, b->directed_truncated);
    assert_int_equal(a->others_truncated, b->others_truncated);
    for (int i = 0; i < a->judgment_len; i++)
        assert_same_judgment(&a->judgments[i], &b->judgments[i]);
    assert_int_equal(a->sight_len, b->sight_len);
    assert_int_equal(a->sights_truncated, b->sights_truncated);
    for (int i = 0; i < a->sight_len; i++)
        assert_same_sight(&a->sights[i], &b->sights[i]);
    assert_same_answers(a, b);
}
