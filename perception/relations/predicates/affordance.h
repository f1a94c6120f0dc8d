/** What a class of things is for (affordances: Gibson 1979). A box has no hollow and no seat: whether a thing that reaches into
 *  it is in it, on it or under it depends on its use (Herskovits 1986; Coventry & Garrod 2004). Pure. */
#pragma once

/** Bits; none: the class is not known, and may be anything. */
enum {
    POV_AFFORDS_HOLDING =
        1, /* a hollow: a thing that reaches into its box from above is in it (cup, vase, bed, car) */
    POV_AFFORDS_BEARING =
        2, /* bears things lower than its box's top: a thing that rises from its box is on it (chair, ox, sled) */
    POV_AFFORDS_SHELTER =
        4, /* room below: a thing in the lower half of its box is under it (table, chair, tree) */
    POV_AFFORDS_COVERING = 8,  /* lies over things: a thing at the bottom of its box is under it (blanket) */
    POV_AFFORDS_FLOATING = 16, /* a liquid: what floats and rises from it is on it (river) */
    POV_AFFORDS_STOWING =
        32, /* may have drawers: boxes do not tell whether a thing in its box is in one (desk) */
    POV_AFFORDS_RIDING = 64,   /* whoever is in it is on it, too (bus, ship) */
    POV_AFFORDS_NOTHING = 128, /* known, and of no such use (wall) */
    POV_FLOATS = 256,          /* on a liquid (boat, duck) */
    POV_AFFORDS_POURING = 512  /* a vessel that liquids are kept in and poured from (cup, bottle) */
};

/** By the last word of an English class name, digits after it ignored: "coffee cup", "wine-glass_2". */
unsigned pov_affordances_of(const char *class_name);
