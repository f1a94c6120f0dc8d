/** The affordances of a class (Gibson 1979). A box has no hollow and no seat: whether a thing that reaches into
 *  it is in it, on it or under it depends on what the thing is for (Herskovits 1986; Coventry & Garrod 2004). Pure. */
#pragma once

/** Bits; a class that is not known affords none. */
enum {
    POV_AFFORDS_HOLDING =
        1, /* a hollow or cover: a thing that reaches into its box from above is in it (cup, vase, bed, car) */
    POV_AFFORDS_BEARING =
        2, /* bears things lower than its box's top: a thing that rises from its box is on it (chair, horse, shelf) */
    POV_AFFORDS_SHELTER =
        4 /* room below: a thing in the lower half of its box is under it (table, chair, tree) */
};

/** By the last word of an English class name, digits after it ignored: "coffee cup", "wine-glass_2". */
unsigned pov_affordances_of(const char *class_name);
