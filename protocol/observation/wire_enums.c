/* What packing and unpacking take for granted of enums in memory and on the wire. */
#include "perception/observation/observation.h"
#include "pov.pb-c.h"

#include <assert.h>

/* On the wire 0 means "unspecified", so that a missing enum is never taken for a value: everything moves up
 * by one. */
static_assert(POV__PERSPECTIVE__PERSPECTIVE_EGOCENTRIC == POV_EGOCENTRIC + 1, "");
static_assert(POV__PERSPECTIVE__PERSPECTIVE_ABSOLUTE == POV_ABSOLUTE + 1 && POV_PERSPECTIVE_COUNT == 4, "");
static_assert(POV__CONVENTION__CONVENTION_TRANSLATED == POV_TRANSLATED + 2, "");
static_assert(POV__CONVENTION__CONVENTION_REFLECTED == POV_REFLECTED + 2 && POV_CONVENTION_COUNT == 3, "");
static_assert(POV__AXIS__AXIS_SIGHT_LINE == POV_SIGHT_LINE + 1, "");
static_assert(POV__AXIS__AXIS_HEADING == POV_HEADING + 1 && POV_AXIS_COUNT == 2, "");
static_assert(POV__ACCEPTANCE__ACCEPTANCE_HEMISPHERE == POV_HEMISPHERE + 1, "");
static_assert(POV__ACCEPTANCE__ACCEPTANCE_TEMPLATE == POV_TEMPLATE + 1 && POV_ACCEPTANCE_COUNT == 3, "");
static_assert(POV__CONTAINMENT__CONTAINMENT_EXTERNAL == POV_EXTERNAL + 1, "");
static_assert(POV__CONTAINMENT__CONTAINMENT_INTERNAL == POV_INTERNAL + 1 && POV_CONTAINMENT_COUNT == 2, "");
static_assert(POV__VERDICT__VERDICT_FALSE == POV_FALSE + 1 && POV__VERDICT__VERDICT_TRUE == POV_TRUE + 1, "");
static_assert(POV__VERDICT__VERDICT_UNDEFINED == POV_VERDICT_UNDEFINED + 1 && POV_VERDICT_COUNT == 4, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_UNKNOWN == POV_POSE_UNKNOWN + 1, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_TAGS == POV_POSE_FROM_TAGS + 1, "");
static_assert(POV__POSE_SOURCE__POSE_SOURCE_AMBIGUOUS == POV_POSE_AMBIGUOUS + 1 && POV_POSE_SOURCE_COUNT == 4,
              "");
static_assert(POV__TAG_FAMILY__TAG_FAMILY_36H11 == POV_TAG36H11 + 1, "");
static_assert(POV__TAG_FAMILY__TAG_FAMILY_STANDARD52H13 == POV_TAG_STANDARD52H13 + 1 &&
                  POV_TAG_FAMILY_COUNT == 9,
              "");
static_assert((int)POV__DOUBT__DOUBT_CALIBRATION == (int)POV_DOUBT_CALIBRATION && POV_DOUBT_COUNT == 3, "");
static_assert(POV__CAUSE__CAUSE_NONE == POV_CAUSE_NONE + 1, "");
static_assert(POV__CAUSE__CAUSE_NO_BODY == POV_CAUSE_NO_BODY + 1 && POV_CAUSE_COUNT == 11, "");
static_assert(POV__SIDE__SIDE_FRONT == POV_SIDE_FRONT + 1, "");
static_assert(POV__SIDE__SIDE_UNDEFINED == POV_SIDE_UNDEFINED + 1 && POV_SIDE_COUNT == 8, "");
static_assert(POV__MOTION__MOTION_AT_REST == POV_AT_REST + 1, "");
static_assert(POV__MOTION__MOTION_BY_ITSELF == POV_MOVING_FREELY + 1 && POV_MOTION_COUNT == 3, "");
static_assert(POV__TAG_FATE__TAG_FATE_USED == POV_TAG_USED + 1, "");
static_assert(POV__TAG_FATE__TAG_FATE_TURNS == POV_TAG_TURNS + 1 && POV_TAG_FATE_COUNT == 5, "");
