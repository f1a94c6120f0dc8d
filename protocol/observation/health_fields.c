/* Health, field by field. */
#include "protocol/observation/fields_rows_wire.h"

NAMES(tag_family, pov_tag_family, POV_TAG_FAMILY_COUNT, pov_tag_family_name)

static const pov_field moved_tag_fields[] = {
    {"family", "family", CHOICE(pov_moved_tag, family, tag_family), .meaning = "family of the tag"},
    {"id", "id", WHOLE(pov_moved_tag, id), WITHIN(0, INT_MAX), .meaning = "its number in the family"},
    {"images", "images", WHOLE(pov_moved_tag, images), WITHIN(0, INT_MAX), .meaning = "that show it"},
    {"moved_m", "moved_m", NUMBER(pov_moved_tag, moved_m), NOT_NEGATIVE,
     .meaning = "how far its centre is off"},
    {"moved_std_m", "moved_std_m", NUMBER(pov_moved_tag, moved_std_m), NOT_NEGATIVE,
     .meaning = "standard deviation"},
    {"turned_rad", "turned_deg", NUMBER(pov_moved_tag, turned_rad), NOT_NEGATIVE, .is_angle = true,
     .meaning = "by how much it is turned"},
    {"turned_std_rad", "turned_std_deg", NUMBER(pov_moved_tag, turned_std_rad), NOT_NEGATIVE,
     .is_angle = true, .meaning = "standard deviation"},
};
const pov_record pov_moved_tag_record = {MESSAGE(moved_tag), .number = NUMBER_OF_MOVED_TAG,
                                         FIELDS(moved_tag_fields)};

static const pov_field stage_fields[] = {
    {"name", "name", TEXT(pov_stage_time, name),
     .meaning = "tags, finding, tracking, relations, who sees what, searching on, sending, writing"},
    {"mean_s", "mean_s", NUMBER(pov_stage_time, mean_s), NOT_NEGATIVE, .meaning = "mean over the images"},
    {"max_s", "max_s", NUMBER(pov_stage_time, max_s), NOT_NEGATIVE, .meaning = "longest"},
};
const pov_record pov_stage_record = {MESSAGE(stage_time), .number = NUMBER_OF_STAGE, FIELDS(stage_fields)};

static const pov_field asked_model_fields[] = {
    {"model", "model", TEXT(pov_asked_model, model), .meaning = "as it is asked for"},
    {"hosts", "hosts", TEXT(pov_asked_model, hosts), .meaning = "the servers' hosts, with commas"},
    {"leaves", "leaves", FLAG(pov_asked_model, leaves), .meaning = "images leave this machine"},
    {"asked", "asked", COUNT(pov_asked_model, asked), .meaning = "questions sent, or being sent"},
    {"answered", "answered", COUNT(pov_asked_model, answered),
     .meaning = "of these, with an answer that was scored"},
    {"unscored", "unscored", COUNT(pov_asked_model, unscored),
     .meaning = "refused, or no answer could be read from the words"},
    {"failed", "failed", COUNT(pov_asked_model, failed), .meaning = "no answer came"},
    {"under_way", "under_way", COUNT(pov_asked_model, under_way), .meaning = "now"},
    {"waiting", "waiting", COUNT(pov_asked_model, waiting), .meaning = "now, to be asked"},
    {"unasked", "unasked", COUNT(pov_asked_model, unasked),
     .meaning = "questions not asked because too many waited"},
    {"stale", "stale", COUNT(pov_asked_model, stale),
     .meaning = "questions not asked because they had waited for too long"},
    {"cost", "cost", NUMBER(pov_asked_model, cost), NOT_NEGATIVE,
     .meaning = "so far, in the money of the prices"},
    {"ended", "ended", TEXT(pov_asked_model, ended), .is_repaired = true,
     .meaning = "why nothing more is asked of it; empty: it goes on"},
};
const pov_record pov_asked_model_record = {MESSAGE(asked_model), .number = NUMBER_OF_ASKED_MODEL,
                                           FIELDS(asked_model_fields)};

static const pov_field agreement_fields[] = {
    {"model", "model", TEXT(pov_running_agreement, model), .meaning = "as it is asked for"},
    {"frame", "frame", TEXT(pov_running_agreement, frame),
     .meaning = "frame of reference of geometry's answer; empty: the answer is the same in every frame"},
    {"condition", "condition", TEXT(pov_running_agreement, condition), .is_repaired = true,
     .meaning = "paper, prompt or task, and language"},
    {"agreed", "agreed", COUNT(pov_running_agreement, agreed), .meaning = "answers"},
    {"compared", "compared", COUNT(pov_running_agreement, compared),
     .meaning = "answers that were scored, where geometry is sure"},
};
const pov_record pov_agreement_record = {MESSAGE(running_agreement), .number = NUMBER_OF_AGREEMENT,
                                         FIELDS(agreement_fields)};

static const pov_field camera_health_fields[] = {
    {"camera", "camera", TEXT(pov_camera_health, camera), .meaning = "its id"},
    {"images", "images", COUNT(pov_camera_health, images), .meaning = "judged, since the start"},
    {"lost", "lost", COUNT(pov_camera_health, lost), .meaning = "never delivered, since the start"},
    {"left_out", "left_out", FLAG(pov_camera_health, left_out),
     .meaning = "the scene does without it, because of the trouble"},
    {"trouble", "trouble", TEXT(pov_camera_health, trouble), .is_repaired = true,
     .meaning = "what is wrong with it, in words; empty: nothing"},
    {"moved_m", "moved_m", NUMBER(pov_camera_health, moved_m), NOT_NEGATIVE, .is_optional = true,
     .meaning =
         "how far it is from where it is said to be, by what the other cameras see; null: not in doubt"},
    {"turned_rad", "turned_deg", NUMBER(pov_camera_health, turned_rad), NOT_NEGATIVE, .is_angle = true,
     .is_optional = true, .meaning = "likewise, by how much it is turned"},
    {"clock_offset_s", "clock_offset_s", NUMBER(pov_camera_health, clock_offset_s), .is_optional = true,
     .meaning = "of a camera in another process: how far that machine's clock is ahead of this one's; null: "
                "not known"},
    {"clock_std_s", "clock_std_s", NUMBER(pov_camera_health, clock_std_s), NOT_NEGATIVE, .is_optional = true,
     .meaning = "its standard deviation"},
};
static const pov_camera_health unknown_camera = {
    .moved_m = NAN, .turned_rad = NAN, .clock_offset_s = NAN, .clock_std_s = NAN};
const pov_record pov_camera_health_record = {MESSAGE(camera_health), .number = NUMBER_OF_CAMERA_HEALTH,
                                             FIELDS(camera_health_fields), .blank = &unknown_camera,
                                             .blank_size = sizeof unknown_camera};

static const pov_field health_fields[] = {
    {"now_ns", "now_ns", WHOLE(pov_health, now_ns), .meaning = "time of the message"},
    {"images_processed", "images_processed", COUNT(pov_health, images_processed),
     .meaning = "judged, since the start"},
    {"images_skipped", "images_skipped", COUNT(pov_health, images_skipped),
     .meaning = "unusable, since the start"},
    {"images_lost", "images_lost", COUNT(pov_health, images_lost),
     .meaning = "never delivered, since the start"},
    {"camera_reconnects", "camera_reconnects", COUNT(pov_health, camera_reconnects),
     .meaning = "since the start"},
    {"rate_hz", "rate_hz", NUMBER(pov_health, rate_hz), NOT_NEGATIVE, .is_optional = true,
     .meaning = "images processed per second over about the last second; null: unknown"},
    {"latency_p50_s", "latency_p50_s", NUMBER(pov_health, latency_p50_s), NOT_NEGATIVE, .is_optional = true,
     .meaning = "from reading an image to sending its judgments, median; not known without a live source (a "
                "film, a recording, files)"},
    {"latency_p99_s", "latency_p99_s", NUMBER(pov_health, latency_p99_s), NOT_NEGATIVE, .is_optional = true,
     .meaning = "likewise, 99th percentile"},
    {"subscribers", "subscribers", COUNT(pov_health, subscribers), .meaning = "subscriptions now"},
    {"messages_sent", "messages_sent", COUNT(pov_health, messages_sent),
     .meaning = "over all subscriptions since the start"},
    {"messages_lost", "messages_lost", COUNT(pov_health, messages_lost),
     .meaning = "over all subscriptions since the start"},
    {"refused", "refused", COUNT(pov_health, refused),
     .meaning = "subscriptions and connections that were refused or cut off ([WIRE.md](WIRE.md))"},
    {"moved_tags", "moved_tags", LIST(pov_health, moved_tags, moved_tag_len, pov_moved_tag_record),
     .meaning = "tags that are not at their pose in the tag map"},
    {"stages", "stages", LIST(pov_health, stages, stage_len, pov_stage_record),
     .meaning = "the time that the images since the last message took. Tags of the next image are looked for "
                "beside the rest. A sweep "
                "tells those of its newest image"},
    {"images_waiting", "images_waiting", COUNT(pov_health, images_waiting),
     .meaning = "images read and not judged yet"},
    {"messages_waiting", "messages_waiting", COUNT(pov_health, messages_waiting),
     .meaning = "messages in the longest queue of a subscription"},
    {"models", "models", LIST(pov_health, models, model_len, pov_asked_model_record),
     .meaning = "the models that are asked live ([LIVE.md](LIVE.md))"},
    {"agreements", "agreements", LIST(pov_health, agreements, agreement_len, pov_agreement_record),
     .meaning = "how often each agreed with geometry so far, by frame of reference and kind of question"},
    {"agreements_truncated", "agreements_truncated", FLAG(pov_health, agreements_truncated), .meaning = FULL},
    {"images_unasked", "images_unasked", COUNT(pov_health, images_unasked),
     .meaning = "images that were due and not asked about, because the one before was still being stored"},
    {"tf_missing", "tf_missing", TEXT(pov_health, tf_missing), .is_repaired = true,
     .meaning =
         "why a robot's transforms do not tell the camera's pose ([ROS2.md](ROS2.md)); empty: they do, "
         "or are not wanted"},
    {"tf_off_m", "tf_off_m", NUMBER(pov_health, tf_off_m), NOT_NEGATIVE, .is_optional = true,
     .meaning = "from where they put the camera to where the tags do, over the last ten seconds; null: not "
                "known"},
    {"tf_off_rad", "tf_off_deg", NUMBER(pov_health, tf_off_rad), NOT_NEGATIVE, .is_angle = true,
     .is_optional = true, .meaning = "likewise, by how much it is turned"},
    {"tf_disagrees", "tf_disagrees", FLAG(pov_health, tf_disagrees),
     .meaning =
         "that is more than both state of themselves: the hand-eye calibration or the table's place is "
         "wrong"},
    {"clock_error_s", "clock_error_s", NUMBER(pov_health, clock_error_s), NOT_NEGATIVE, .is_optional = true,
     .meaning = "of this machine's clock, as the kernel estimates it (NTP, PTP); null: nothing synchronises "
                "it"},
    {"monotonic_offset_ns", "monotonic_offset_ns", WHOLE(pov_health, monotonic_offset_ns),
     .meaning = "the UNIX epoch's clock less the machine's monotonic one (`CLOCK_MONOTONIC`): `capture_ns` "
                "less this is in the latter; 0: "
                "not told"},
    {"cameras", "cameras", LIST(pov_health, cameras, camera_len, pov_camera_health_record),
     .is_left_out_if_empty = true,
     .meaning = "of a station whose cameras have ids ([CAMERAS.md](CAMERAS.md))"},
};
const pov_record pov_health_record = {MESSAGE(health), .number = NUMBER_OF_HEALTH, FIELDS(health_fields)};
