/* The comparison with a model, field by field. */
#include "protocol/observation/fields_rows_wire.h"

POV_ENUM_NAMES(pov_comparison_status_name, pov_comparison_status, POV_COMPARISON_STATUS_COUNT, "asked",
               "answered", "refused", "unscored", "failed")
POV_ENUM_NAMES(pov_agreement_name, pov_agreement, POV_AGREEMENT_COUNT, NULL, "yes", "no")
NAMES(comparison_status, pov_comparison_status, POV_COMPARISON_STATUS_COUNT, pov_comparison_status_name)
NAMES(agreement, pov_agreement, POV_AGREEMENT_COUNT, pov_agreement_name)
static_assert(POV__COMPARISON_STATUS__COMPARISON_STATUS_FAILED == POV_COMPARISON_FAILED + 1, "");
static_assert(POV__AGREEMENT__AGREEMENT_NO == POV_DISAGREES + 1, "");

#define WORDS(type, member, bytes_max) .kind = POV_KIND_WORDS, AT(type, member), .count = (bytes_max)
enum { NAME_BYTES = 1 << 10, PROMPT_BYTES = 1 << 16, ANSWER_BYTES = 1 << 20 };

static const pov_field gold_fields[] = {
    {"frame", "frame", WORDS(pov_compared_gold, frame, NAME_BYTES),
     .meaning = "e.g. `egocentric reflected sight_line`; empty: the answer is the same in every frame"},
    {"answer", "answer", WORDS(pov_compared_gold, answer, NAME_BYTES),
     .meaning = "empty: geometry has none in this frame"},
    {"p", "p", NUMBER(pov_compared_gold, p), WITHIN(0, 1), .is_optional = true,
     .meaning = "probability of this answer"},
    {"sure", "sure", FLAG(pov_compared_gold, sure), .meaning = "the verdict does not abstain"},
    {"asked", "asked", FLAG(pov_compared_gold, asked), .meaning = "the frame that the question asks for"},
};
const pov_record pov_gold_record = {MESSAGE(gold), .number = NUMBER_OF_GOLD, FIELDS(gold_fields)};

static const pov_field comparison_fields[] = {
    {"run", "run", WORDS(pov_comparison, run, NAME_BYTES),
     .meaning = "the sweep: equal texts, equal station, questions and settings"},
    {"question", "question", WHOLE(pov_comparison, question),
     .meaning = "its number in the run; the two messages of one question have the same"},
    {"key", "key", WORDS(pov_comparison, key, NAME_BYTES),
     .meaning = "stable: names the question among those of its image"},
    {"image_name", "image_name", WORDS(pov_comparison, image_name, NAME_BYTES),
     .meaning = "name of the image, which was judged and sent"},
    {"image_sequence", "image_sequence", COUNT(pov_comparison, image_sequence), .meaning = "its number"},
    {"capture_ns", "capture_ns", WHOLE(pov_comparison, capture_ns), .meaning = "middle of its exposure"},
    {"image_sha256", "image_sha256", WORDS(pov_comparison, image_sha256, NAME_BYTES),
     .meaning = "digest of the image as recorded"},
    {"sent_sha256", "sent_sha256", WORDS(pov_comparison, sent_sha256, NAME_BYTES),
     .meaning = "digest of the image as the server got it; equal where nothing was converted"},
    {"sent_format", "sent_format", WORDS(pov_comparison, sent_format, NAME_BYTES),
     .meaning = "media type of that"},
    {"prompt", "prompt", WORDS(pov_comparison, prompt, PROMPT_BYTES), .meaning = "the question"},
    {"system", "system", WORDS(pov_comparison, system, PROMPT_BYTES),
     .meaning = "system prompt; empty: none"},
    {"language", "language", WORDS(pov_comparison, language, NAME_BYTES), .meaning = "e.g. `en`"},
    {"paper", "paper", WORDS(pov_comparison, paper, NAME_BYTES), .meaning = "e.g. `comfort`"},
    {"columns", "columns", WORDS(pov_comparison, columns, PROMPT_BYTES),
     .meaning = "what the paper's scores need of the question, as JSON ([SCORES.md](SCORES.md))"},
    {"form", "form", WORDS(pov_comparison, form, NAME_BYTES),
     .meaning = "answer that is expected: `yes_no`, `option`, `number`, `text`"},
    {"golds", "golds", LIST(pov_comparison, golds, gold_len, pov_gold_record),
     .meaning = "the geometry's answer in each frame of reference"},
    {"model", "model", WORDS(pov_comparison, model, NAME_BYTES), .meaning = "as it was asked for"},
    {"server_model", "server_model", WORDS(pov_comparison, server_model, NAME_BYTES),
     .meaning = "as the server calls it; empty: not told yet"},
    {"status", "status", CHOICE(pov_comparison, status, comparison_status),
     .meaning = "`\"unscored\"`: answered, but no answer could be read from the words; `\"failed\"`: no "
                "answer came"},
    {"cause", "cause", WORDS(pov_comparison, cause, PROMPT_BYTES),
     .meaning = "why it failed or is not scored"},
    {"answer", "answer", WORDS(pov_comparison, answer, ANSWER_BYTES), .meaning = "the model's words"},
    {"p", "p", NUMBER(pov_comparison, p), WITHIN(0, 1), .is_optional = true,
     .meaning = "P(yes) or P(true), by the model"},
    {"mass", "mass", NUMBER(pov_comparison, mass), WITHIN(0, 1), .is_optional = true,
     .meaning = "probability of all answers that count, yes and no"},
    {"reading", "reading", WORDS(pov_comparison, reading, NAME_BYTES),
     .meaning = "how the answer was read: `tokens`, `text`, or why it was not"},
    {"agreement", "agreement", CHOICE(pov_comparison, agreement, agreement),
     .meaning = "with the gold of the frame that was asked for; null: no answer, or geometry abstains"},
    {"asked_ns", "asked_ns", WHOLE(pov_comparison, asked_ns), .meaning = "when"},
    {"answered_ns", "answered_ns", WHOLE(pov_comparison, answered_ns),
     .known_at = offsetof(pov_comparison, is_answered), .meaning = "when; null: not yet"},
    {"latency_ns", "latency_ns", WHOLE(pov_comparison, latency_ns),
     .meaning = "of the last attempt; 0: none yet"},
    {"simulated", "simulated", FLAG(pov_comparison, simulated),
     .meaning = "images, or the model, are simulated"},
    {"occasion", "occasion", WORDS(pov_comparison, occasion, NAME_BYTES),
     .meaning = "of a live run, why the image was asked about: `first`, `changed`, `turned`, `time`"},
    {"angle_rad", "angle_deg", NUMBER(pov_comparison, angle_rad), WITHIN(-POV_PI, POV_PI), .is_angle = true,
     .is_optional = true,
     .meaning = "azimuth of the first pair's referent about its relatum in this image, 0 "
                "toward the camera, counter-clockwise from above"},
    {"moved_on_s", "moved_on_s", NUMBER(pov_comparison, moved_on_s), .is_optional = true,
     .meaning = "of a live run, once answered: the time from this image to the newest judged by then"},
    {"turned_on_rad", "turned_on_deg", NUMBER(pov_comparison, turned_on_rad), .is_angle = true,
     .is_optional = true,
     .meaning = "how far the scene turned about the camera in that time, whole turns included"},
    {"sent_width_px", "sent_width_px", COUNT(pov_comparison, sent_width_px),
     .meaning = "width of the image as the server got it; 0: not known"},
    {"sent_height_px", "sent_height_px", COUNT(pov_comparison, sent_height_px), .meaning = "its height"},
    {"sent_quality", "sent_quality", COUNT(pov_comparison, sent_quality),
     .meaning = "of JPEG, 1 to 100; 0: lossless"},
    {"sent_detail", "sent_detail", WORDS(pov_comparison, sent_detail, NAME_BYTES),
     .meaning = "how finely the server was asked to look at it, e.g. `low`; empty: it decided"},
    {"guided", "guided", WORDS(pov_comparison, guided, NAME_BYTES),
     .meaning = "told before the question: `not`, `facts`, `step`, `view`, `map`; empty: an earlier pov, "
                "which did not say"},
    {"prompting", "prompting", WORDS(pov_comparison, prompting, NAME_BYTES),
     .meaning = "how the answer was asked for: `zero-shot`, `4-shot`, `cot`, `sg-cot`"},
    {"system_name", "system_name", WORDS(pov_comparison, system_name, NAME_BYTES),
     .meaning = "system prompt: `vlm` (of the section `vlm`), `none`, `comfort`"},
    {"guidance", "guidance", WORDS(pov_comparison, guidance, ANSWER_BYTES),
     .meaning = "of sg-cot, once answered: what the model wrote before the question"},
    {"first_token_ns", "first_token_ns", WHOLE(pov_comparison, first_token_ns),
     .known_at = offsetof(pov_comparison, has_first_token),
     .meaning =
         "when the first word of the answer came, by an event stream; null: it came whole, or not yet"},
    {"curve_rad", "curve_deg", NUMBER(pov_comparison, curve_rad), WITHIN(-POV_PI, POV_PI), .is_angle = true,
     .is_optional = true,
     .meaning = "the place on COMFORT's curves that this image has, counted as `angle_deg`; null: none"},
    {"truth", "truth", WORDS(pov_comparison, truth, NAME_BYTES),
     .meaning = "of simulated images: the true answer in the frame that is asked for"},
    {"order", "order", WORDS(pov_comparison, order, NAME_BYTES),
     .meaning = "in which order it names its things, or lists directions: `normal`, `reverse`, `permuted`; "
                "empty: an earlier pov, which did not say"},
    {"flip", "flip", WORDS(pov_comparison, flip, NAME_BYTES),
     .meaning = "whether it is about the mirrored image: `no`, `yes`; its golds are then those of the "
                "mirrored scene"},
    {"circular", "circular", WORDS(pov_comparison, circular, NAME_BYTES),
     .meaning = "which rotation of its options it offers: `0` (their own order), `1` to `7`"},
    {"second_sha256", "second_sha256", WORDS(pov_comparison, second_sha256, NAME_BYTES),
     .meaning =
         "SHA-256 of the second image that the question is sent with, as stored; empty: there is none"},
};
const pov_record pov_comparison_record = {MESSAGE(comparison), .number = NUMBER_OF_COMPARISON,
                                          FIELDS(comparison_fields)};
