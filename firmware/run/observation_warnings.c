#include "firmware/run/observation_warnings.h"

#include "firmware/cli.h"

#include <stdio.h>
#include <string.h>

/* " by 5.0 +- 0.3 mm", where that is more than chance. */
static void print_size(char text[48], const char *verb, double size, double std, const char *unit)
{
    text[0] = '\0';
    if (size > 2 * std)
        snprintf(text, 48, ", %s by %.1f +- %.1f %s", verb, size, std, unit);
}

static void warn_of_moved(const char *image, const pov_moved_tag *moved)
{
    char off[48], turned[48];
    print_size(off, "off", 1e3 * moved->moved_m, 1e3 * moved->moved_std_m, "mm");
    print_size(turned, "turned", pov_degrees(moved->turned_rad), pov_degrees(moved->turned_std_rad), "deg");
    pov_cli_warn(
        "%s: %s %d is not where the tag map says%s%s (%d image%s): moved, misprinted, mistyped in the map or "
        "misread. Put it back, or measure the map again with 'pov calib tags'",
        image, pov_tag_family_name(moved->family), moved->id, off, turned, moved->images,
        moved->images == 1 ? "" : "s");
}

/* Returns how many there are; lists the first few. */
static int list_rejected(char text[80], const pov_observation *observation)
{
    int count = 0;
    text[0] = '\0';
    for (int i = 0; i < observation->tag_len; i++) {
        const size_t length = strlen(text);
        if (observation->tags[i].outcome != POV_TAG_REJECTED)
            continue;
        if (count < 6)
            snprintf(text + length, 80 - length, "%s%d", count ? ", " : "", observation->tags[i].tag.id);
        count++;
    }
    return count;
}

static bool warn_of_contradiction(const pov_observation *observation)
{
    char rejected[80];
    if (observation->image.pose_source != POV_POSE_UNKNOWN || list_rejected(rejected, observation) == 0)
        return false;
    pov_cli_warn(
        "%s: the mapped tags contradict one another (%s do not fit the rest), and the camera's pose is left "
        "open: say how "
        "well they were measured (position_std_m, rotation_std_deg in the tag map), or measure them with "
        "'pov calib tags'",
        observation->image.name, rejected);
    return true;
}

static bool warn_of_ambiguity(const pov_observation *observation)
{
    const pov_image_header *image = &observation->image;
    if (image->pose_source != POV_POSE_AMBIGUOUS)
        return false;
    pov_cli_warn("%s: two camera poses fit the tags (%.0f %% and %.0f %%), and a judgment that holds for "
                 "one only abstains: show more or nearer "
                 "tags, or tell the camera's height, pitch or roll (camera.prior)",
                 image->name, 100 * image->candidates[0].probability, 100 * image->candidates[1].probability);
    return true;
}

static bool warn_of_prior(const pov_observation *observation, const pov_findings *findings)
{
    const pov_transform *T = &findings->camera_pose.T_table_camera.T;
    if (!findings->has_camera_pose || !findings->prior_is_refuted || findings->heard.has_camera)
        return false; /* what a robot tells is held against the tags over many images */
    pov_cli_warn("%s: by the tags the camera is %.3f m high, pitched by %.1f and rolled by %.1f deg, which "
                 "camera.prior rules out; it "
                 "is not used. Correct it, or the tag map",
                 observation->image.name, T->t_m.z, pov_degrees(pov_camera_pitch_rad(T)),
                 pov_degrees(pov_camera_roll_rad(T)));
    return true;
}

static bool warn_of_transform(const pov_observation *observation, const pov_findings *findings,
                              const pov_station *station)
{
    if (!station->place.tf.is_wanted || findings->heard.has_camera)
        return false;
    pov_cli_warn("%s: the robot does not tell the camera's pose%s: %s; health tells of it from now on",
                 observation->image.name,
                 observation->image.pose_source == POV_POSE_UNKNOWN ? ", and found things have no place" : "",
                 findings->heard.camera_why);
    return true;
}

bool pov_observation_shows_map(const pov_observation *observation)
{
    for (int i = 0; i < observation->tag_len; i++)
        if (observation->tags[i].outcome == POV_TAG_USED || observation->tags[i].outcome == POV_TAG_REJECTED)
            return true;
    return false;
}

bool pov_observation_shows_tags(const pov_observation *observation, int mapped_len)
{
    return mapped_len > 0 ? pov_observation_shows_map(observation) : observation->tag_len > 0;
}

bool pov_tag_diagnosis_text(char text[POV_MESSAGE_CAPACITY], const pov_tag_diagnosis *diagnosis,
                            int mapped_len)
{
    static const char *const where[] = {
        [POV_TAGS_MIRRORED] =
            "its mirror image: the images are mirrored, as many webcams do. Turn that off in the "
            "camera's driver, or unmirror them",
        [POV_TAGS_INVERTED] =
            "its negative: black and white are swapped. Print the tags black on white, or undo "
            "what inverts the images",
        [POV_TAGS_MIRRORED_AND_INVERTED] =
            "its mirrored negative: the images are mirrored, and black and white are "
            "swapped. Undo both",
    };
    if (diagnosis->trouble == POV_TAGS_UNEXPLAINED)
        return false;
    if (mapped_len > 0)
        snprintf(text, POV_MESSAGE_CAPACITY, "no mapped tag is in the image, but %d of %d %s in %s",
                 diagnosis->len, mapped_len, diagnosis->len == 1 ? "is" : "are", where[diagnosis->trouble]);
    else
        snprintf(text, POV_MESSAGE_CAPACITY, "no tag is in the image, but %d %s in %s", diagnosis->len,
                 diagnosis->len == 1 ? "is" : "are", where[diagnosis->trouble]);
    return true;
}

bool pov_map_mistake_text(char text[POV_MESSAGE_CAPACITY], pov_map_mistake mistake)
{
    static const char *const what[] = {
        [POV_MAP_ROTATIONS_TRANSPOSED] =
            "with its rotations transposed they do: the columns of R_table_tag are the "
            "tag's axes in the table frame",
        [POV_MAP_POSITIONS_IN_MM] = "with its positions taken as millimetres they do: lengths are metres",
        [POV_MAP_EDGES_IN_MM] = "with its edges taken as millimetres they do: lengths are metres",
    };
    if (mistake == POV_MAP_UNEXPLAINED)
        return false;
    snprintf(text, POV_MESSAGE_CAPACITY, "the tags in the image do not fit the map; %s", what[mistake]);
    return true;
}

static bool warn_of_absence(const pov_observation *observation, int mapped_len,
                            const pov_tag_diagnosis *diagnosis)
{
    char text[POV_MESSAGE_CAPACITY];
    if ((mapped_len > 0 && observation->image.pose_source != POV_POSE_UNKNOWN) ||
        pov_observation_shows_tags(observation, mapped_len))
        return false;
    if (pov_tag_diagnosis_text(text, diagnosis, mapped_len))
        pov_cli_warn("%s: %s", observation->image.name, text);
    else if (mapped_len > 0)
        pov_cli_warn("%s: no mapped tag is seen, of %d (others: %d), so the camera's pose is unknown, and "
                     "found things have "
                     "no place: let a tag be in view whole, with its white border, 25 px large or more",
                     observation->image.name, mapped_len, observation->tag_len);
    return true;
}

/* A map whose tags do not fit one another may be wrong as a whole. */
static bool warn_of_mistake(const pov_observation *observation, const pov_findings *findings,
                            const pov_station *station)
{
    char rejected[80], text[POV_MESSAGE_CAPACITY];
    if (list_rejected(rejected, observation) == 0 ||
        !pov_map_mistake_text(
            text, pov_tag_map_find_mistake(&station->finders.tags.map, &findings->tags, &station->camera)))
        return false;
    pov_cli_warn("%s: %s", observation->image.name, text);
    return true;
}

static bool warn_of_room(const pov_observation *observation)
{
    const bool directed = observation->directed_truncated, others = observation->others_truncated;
    if (directed || others)
        pov_cli_warn("%s: %d entities have more judgments than the %d that a message holds%s, and the rest "
                     "is left out: "
                     "name the pairs or fewer relations, axes or acceptances (judge: in the station file)",
                     observation->image.name, observation->scene.len, POV_DIRECTED_MAX,
                     directed ? "" : " beside the eight default relations");
    if (observation->sights_truncated)
        pov_cli_warn("%s: %d entities have more pairs of viewer and target than the %d that a message holds, "
                     "and the rest "
                     "is left out: name the viewers (judge.visibility in the station file)",
                     observation->image.name, observation->scene.len, POV_SIGHT_MAX);
    return directed || others || observation->sights_truncated;
}

enum { MISTAKE_LOOKS = 5 }; /* images with rejected tags in which a mistake is looked for; chosen */

static void look_for_mistake(pov_observation_warned *warned, const pov_observation *observation,
                             const pov_findings *findings, const pov_station *station)
{
    warned->mistake_looks++;
    warned->of_mistake = warn_of_mistake(observation, findings, station);
}

void pov_observation_warn(pov_observation_warned *warned, const pov_observation *observation,
                          const pov_findings *findings, const pov_station *station,
                          const pov_tag_diagnosis *diagnosis)
{
    if (!warned->of_absence)
        warned->of_absence = warn_of_absence(observation, station->finders.tags.map.len, diagnosis);
    if (!warned->of_mistake && warned->mistake_looks < MISTAKE_LOOKS &&
        list_rejected((char[80]){0}, observation) > 0)
        look_for_mistake(warned, observation, findings, station);
    if (findings->has_moved_tag && !warned->of_mistake)
        warn_of_moved(observation->image.name, &findings->moved_tag);
    if (!warned->of_contradiction && !warned->of_mistake)
        warned->of_contradiction = warn_of_contradiction(observation);
    if (!warned->of_ambiguity)
        warned->of_ambiguity = warn_of_ambiguity(observation);
    if (!warned->of_transform)
        warned->of_transform = warn_of_transform(observation, findings, station);
    if (!warned->of_prior)
        warned->of_prior = warn_of_prior(observation, findings);
    if (!warned->of_room)
        warned->of_room = warn_of_room(observation);
}

bool pov_map_doubt_text(char text[POV_MESSAGE_CAPACITY], const pov_map_doubt *doubt)
{
    pov_map_spread off;
    if (!pov_map_doubt_verdict(&off, doubt))
        return false;
    const double deg = pov_degrees(off.rotation_std_rad);
    snprintf(
        text, POV_MESSAGE_CAPACITY,
        "the tags' corners in %d image%s do not fit a tag map that says it is exact; tags that are off by "
        "%.2g m and %.2g deg would explain them, and until the map says so the camera's pose is stated too "
        "sure: give its tags position_std_m: %.2g, rotation_std_deg: %.2g (those on one wall or sheet "
        "share their error: give it to a panel of `panels`), or measure it with 'pov calib tags'",
        doubt->looks, doubt->looks == 1 ? "" : "s", off.position_std_m, deg, off.position_std_m, deg);
    return true;
}
