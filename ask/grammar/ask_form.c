#include "ask/grammar/ask_form.h"

#include <stddef.h>

#define FORM(kind_, ...)                                                                                     \
    {                                                                                                        \
        .kind = POV_REQUEST_##kind_, .pattern = __VA_ARGS__                                                  \
    }
#define WAY(way_) .way = POV_WAY_##way_
#define NEGATED   .negated = true

static const pov_form forms[] = {
    /* ---- does it hold? ---- */
    FORM(RELATION, "[IS] THING [IS] [BE] RELATION RELATA [VIEWPOINT]"),
    FORM(RELATION, "[IS] THING [IS] [BE] to|on|at WHOSE SIDE [VIEWPOINT]"),
    FORM(RELATION, "[IS] THING [IS] [BE] to|on|at the SIDE VIEWED"),
    FORM(RELATION, "[IS] THING [IS] [BE] behind WHOSE BACK"),
    FORM(RELATION, "IS not THING [BE] RELATION RELATA [VIEWPOINT]"),
    FORM(PLACE, "[IS] THING [IS] [BE] DIRECTION or DIRECTION RELATUM [VIEWPOINT]"),
    FORM(PLACE, "[IS] THING [IS] [BE] to|on|at WHOSE SIDE or [to|on|at] [SAME] SIDE"),
    /* ---- seeing ---- */
    FORM(SEES, "CAN VIEWER [also|still] see THING"),
    FORM(SEES, "CAN VIEWER see THING or_is_it|or_is_she|or_is_he HIDDEN [from] [her|him|it]"),
    FORM(SEES, "CAN VIEWER see THING or_is_it|or_is_she|or_is_he HIDDEN by|behind OTHER"),
    FORM(RELATION, "does|do|can THING [BE] RELATION RELATA [VIEWPOINT]"),
    FORM(SEES, "VIEWER sees|can_see|does_see THING"),
    FORM(SEES, "CAN not VIEWER see THING"),
    FORM(SEES, "CAN [both] VIEWER and OTHER [both] see THING", WAY(BOTH)),
    FORM(SEES, "CAN WE [both] see THING", WAY(BOTH)),
    FORM(SEES, "CAN VIEWER and OTHER see EACH_OTHER", WAY(EACH_OTHER)),
    FORM(SEES, "CAN WE see EACH_OTHER", WAY(EACH_OTHER)),
    FORM(SEES, "CAN VIEWER see THING FACE", WAY(SIDE)),
    FORM(SEES, "CAN VIEWER see the FACE of THING", WAY(SIDE)),
    FORM(SEES, "IS THING visible|seen|in_view|in_sight for|from|to|by|of VIEWER"),
    FORM(SEES, "IS THING visible|in_view|in_sight"),
    FORM(SEES, "IS THING in VIEWER view|sight|field_of_view|line_of_sight"),
    FORM(SEES, "IS THING HIDDEN from|for|to VIEWER", NEGATED),
    FORM(SEES, "IS THING HIDDEN from|for|to VIEWER by|behind OTHER", WAY(BY), NEGATED),
    FORM(SEES, "IS THING HIDDEN by|behind OTHER from|for|to VIEWER", WAY(BY), NEGATED),
    FORM(SEES, "does|do|is OTHER HIDE THING from|for VIEWER", WAY(BY), NEGATED),
    FORM(SEES, "does|do|is OTHER HIDE VIEWER view|sight of THING", WAY(BY), NEGATED),
    FORM(HIDES, "what|who [is] HIDE THING from|for VIEWER"),
    FORM(HIDES, "what|who [is] HIDE VIEWER view|sight of THING"),
    FORM(HIDES, "what|who [is] HIDE THING"),
    FORM(HIDES, "why CAN [not] VIEWER [not] see THING"),
    FORM(HIDES, "why is THING HIDDEN from|for|to VIEWER"),
    FORM(SEEN, "who sees|can_see|does_see THING", WAY(WHO)),
    FORM(SEEN, "who CAN not see THING", WAY(WHO), NEGATED),
    FORM(SEEN, "how_many NOUN CAN see THING", WAY(WHO_COUNTED)),
    FORM(SEEN, "how_many NOUN see|sees THING", WAY(WHO_COUNTED)),
    FORM(SEEN, "how_many NOUN CAN not see THING", WAY(WHO_COUNTED), NEGATED),
    FORM(SEEN, "how_many NOUN CAN VIEWER see", WAY(COUNTED)),
    FORM(SEEN, "how_many NOUN CAN VIEWER not see", WAY(COUNTED), NEGATED),
    FORM(SEEN, "how_many NOUN CAN not VIEWER see", WAY(COUNTED), NEGATED),
    FORM(SEEN, "how_many NOUN IS visible|seen [for|from|to|by] VIEWER", WAY(COUNTED)),
    FORM(SEEN, "how_many NOUN IS HIDDEN for|from|to VIEWER", WAY(COUNTED), NEGATED),
    FORM(SEEN, "which|what [of] NOUN CAN VIEWER see"),
    FORM(SEEN, "which|what [of] [NOUN] CAN VIEWER not see", NEGATED),
    FORM(SEEN, "which|what [of] [NOUN] CAN not VIEWER see", NEGATED),
    FORM(SEEN, "which|what [of] [NOUN] IS visible|seen for|from|to|by VIEWER"),
    FORM(SEEN, "which|what [of] [NOUN] IS HIDDEN for|from|to VIEWER", NEGATED),
    FORM(SEEN, "which|what [of] [NOUN] CAN VIEWER see that|which|but OTHER CAN not [see]", WAY(EXCEPT)),
    FORM(SEEN,
         "CAN VIEWER see what|everything|everything_that|all_that|the_things_that OTHER [CAN] [sees|see]",
         WAY(SAME)),
    FORM(SEEN, "CAN VIEWER see the_same NOUN as|that OTHER [CAN] [sees|see]", WAY(SAME)),
    FORM(SEEN, "CAN VIEWER and OTHER see the_same NOUN", WAY(SAME)),
    FORM(ORDER, "what does|do|can VIEWER see [from] [left_to_right]"),
    FORM(ORDER, "what does|do|can VIEWER see [from] near_to_far", .by_distance = true),
    /* ---- where ---- */
    FORM(PLACE, "where IS|does|do|can THING [BE] TO RELATUM [position|location] [VIEWPOINT]"),
    FORM(PLACE, "where IS|does|do|can THING [BE] from RELATUM position|location"),
    FORM(PLACE, "how IS THING [BE] TO RELATUM [position|location] [VIEWPOINT]"),
    FORM(PLACE,
         "what is the_relation|the_spatial_relation|the_position of THING to|TO|and RELATUM [VIEWPOINT]"),
    FORM(PLACE, "what is the_relation|the_spatial_relation between THING and RELATUM [VIEWPOINT]"),
    FORM(PLACE, "TO RELATUM where IS|does|do|can THING [BE] [VIEWPOINT]"),
    FORM(PLACE, "considering|given|taking|using RELATUM as [the|a] reference|relatum|landmark|origin where "
                "IS|does|do THING "
                "[BE] [VIEWPOINT]"),
    FORM(PLACE, "[in|on] which|what direction|side IS THING [BE] TO RELATUM [VIEWPOINT]"),
    FORM(PLACE, "[in|on] which|what cardinal|compass direction IS THING [BE] TO|from|of RELATUM",
         .by_compass = true),
    FORM(WHERE, "where IS|does|do|can THING [BE] for|from|to VIEWER"),
    FORM(WHERE, "where IS|does|do|can THING [BE]"),
    FORM(WHERE, "[in|on|at|to] which|what direction|side|bearing IS THING [BE] [for|from|of|to] [VIEWER]"),
    FORM(WHERE, "[at] which|what oclock|o'clock|clock_position IS THING [BE] [for|from] [VIEWER]",
         WAY(CLOCK)),
    /* ---- how far, how many, which way ---- */
    FORM(DISTANCE, "how far|close|near|distant [away] IS THING [BE] [away] from|to RELATUM"),
    FORM(DISTANCE, "how far [away] from RELATUM IS THING"),
    FORM(DISTANCE, "how far [is] [it] [is] from THING to RELATUM"),
    FORM(DISTANCE, "how far [apart] IS THING and RELATUM [apart|from_each_other|away_from_each_other]"),
    FORM(DISTANCE,
         "how_many metres|meters|centimetres|centimeters|cm|m [away] is [it] [away] from THING to RELATUM"),
    FORM(DISTANCE, "how_many metres|meters|centimetres|centimeters|cm|m [away] IS THING [away] from RELATUM"),
    FORM(DISTANCE, "[what] [is] [the] distance|gap between|from THING and|to RELATUM"),
    FORM(DISTANCE, "what is the distance|gap of THING from|to RELATUM"),
    FORM(FACING, "[in|to|toward|towards] which|what way|direction|cardinal_direction|compass_direction "
                 "IS|does|do THING FACES "
                 "[to|in|at]"),
    FORM(FACING, "where IS|does|do THING FACES [to|at]"),
    FORM(FACING, "WH IS|does|do THING AT", WAY(WHAT)),
    FORM(FACING, "WH IS|does|do THING FACES [at|to]", WAY(WHAT)),
    FORM(FACING, "IS|do VIEWER and OTHER AT EACH_OTHER", WAY(EACH_OTHER)),
    FORM(FACING, "do|are WE AT EACH_OTHER", WAY(EACH_OTHER)),
    FORM(COUNT, "how_many NOUN IS [there] [BE] RELATION RELATA [VIEWPOINT]"),
    FORM(COUNT, "how_many NOUN IS [there] [BE] to|on|at WHOSE SIDE"),
    FORM(COUNT, "how_many NOUN IS [there]"),
    FORM(COUNT, "count [all] NOUN"),
    FORM(COUNT, "is|are there [a|any|some] NOUN [that|which] [is|are] [BE] RELATION RELATA [VIEWPOINT]",
         WAY(ANY)),
    FORM(COUNT, "is|are there [a|any|some] NOUN [that|which] [is|are] [BE] to|on|at WHOSE SIDE", WAY(ANY)),
    FORM(COUNT, "is|are there [a|any|some] NOUN", WAY(ANY)),
    FORM(COUNT, "is|are ANY [BE] RELATION RELATA [VIEWPOINT]", WAY(ANY)),
    /* ---- which one ---- */
    FORM(WHICH, "WH [of] [NOUN] is|are|lies|stands [BE] RELATION RELATA [VIEWPOINT]"),
    FORM(WHICH, "WH [of] [NOUN] is|are|lies|stands [BE] to|on|at WHOSE SIDE"),
    FORM(WHICH, "[can|could|would|will] [you] [please] VERB [up] [me|us|him|her|them] NOUN [that|which] "
                "[is|are] RELATION "
                "RELATA [VIEWPOINT]"),
    FORM(WHICH, "[can|could|would|will] [you] [please] VERB [up] [me|us|him|her|them] NOUN [that|which] "
                "[is|are] to|on|at "
                "WHOSE SIDE"),
    FORM(EXTREME, "WH [one] [of] [NOUN] IS|has [BE] EXTREME [NOUN] [away] [TARGET] [FROM] "
                  "[ALTERNATIVES] [VIEWPOINT]"),
    FORM(EXTREME, "WH IS NOUN EXTREME [away] [TARGET] [VIEWPOINT]"),
    FORM(EXTREME, "WH IS|has EXTREME [TARGET] [FROM] ALTERNATIVES [VIEWPOINT]"),
    FORM(EXTREME, "which|what KIND IS|has EXTREME [TARGET] [FROM] ALTERNATIVES [VIEWPOINT]"),
    FORM(EXTREME, "IS RELATUM EXTREME to|from ALTERNATIVES"),
    FORM(EXTREME, "IS THING EXTREME [NOUN] [away] [TARGET] [VIEWPOINT]"),
    FORM(EXTREME, "WH [NOUN] [of] ALTERNATIVES IS|has EXTREME [TARGET] [VIEWPOINT]"),
    FORM(EXTREME,
         "[can|could|would|will] [you] [please] VERB [up] [me|us|him|her|them] EXTREME NOUN [away] [TARGET] "
         "[VIEWPOINT]"),
    FORM(EXTREME, "[can|could|would|will] [you] [please] VERB [up] [me|us|him|her|them] NOUN [that|which] "
                  "[is|are] EXTREME [away] [TARGET] [VIEWPOINT]"),
    FORM(EXTREME, "EXTREME NOUN [away] [TARGET] [VIEWPOINT]"),
    FORM(EXTREME, "EXTREME [away] [TARGET] [VIEWPOINT]"),
    FORM(EXTREME, "NOUN EXTREME [away] [TARGET] [VIEWPOINT]"),
    FORM(WHICH, "NOUN [that|which] RELATION RELATA [VIEWPOINT]"),
    FORM(WHICH, "NOUN [that|which] to|on|at WHOSE SIDE"),
};

int pov_form_len(void)
{
    return sizeof forms / sizeof *forms;
}

const pov_form *pov_form_at(int index)
{
    return index >= 0 && index < pov_form_len() ? &forms[index] : NULL;
}

/* What the table comes to, for people. */
const char *pov_request_form(int index)
{
    static const char *const lines[] = {
        "is THING RELATION RELATA [VIEWPOINT]",
        "is THING to|on WHOSE left|right",
        "is THING in front of or behind RELATUM [VIEWPOINT]",
        "does|do|can|could VIEWER see THING",
        "do VIEWER and OTHER both see THING; do VIEWER and OTHER see each other",
        "does VIEWER see THING's face|back",
        "is THING visible to VIEWER; is THING hidden from VIEWER [by OTHER]",
        "what hides THING from VIEWER; why can't VIEWER see THING",
        "who (sees|can't see) THING; how many people see THING",
        "(which|how many) NOUN can|can't VIEWER see; what is hidden from VIEWER",
        "what does VIEWER see that OTHER does not; does VIEWER see what OTHER sees",
        "what does VIEWER see from (left to right|near to far)",
        "where is THING [for VIEWER]; at what o'clock is THING",
        "where is THING relative to RELATUM [VIEWPOINT]",
        "how far is THING from RELATUM; how far apart are THING and RELATUM",
        "which way does THING face; what does THING face; are THING and OTHER facing each other",
        "how many NOUN are there; how many NOUN are RELATION RELATA [VIEWPOINT]",
        "is there ANY RELATION RELATA [VIEWPOINT]",
        "which NOUN is RELATION RELATA [VIEWPOINT]; which NOUN is to WHOSE left|right",
        "(give|hand|bring|take|point at|go to|...) NOUN RELATION RELATA [VIEWPOINT]",
        "which NOUN is EXTREME [to RELATUM] [VIEWPOINT]; give me the EXTREME NOUN",
        "which is EXTREME [to RELATUM], THING or THING",
    };
    return index >= 0 && index < (int)(sizeof lines / sizeof *lines) ? lines[index] : NULL;
}
