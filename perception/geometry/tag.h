/** Fiducial tags: detections, and the map of their poses. Plain data. */
#pragma once

#include "perception/geometry/geom.h"

enum { POV_TAG_MAX = 256, POV_TAG_MAP_MAX = 256 };

typedef enum {
    POV_TAG36H11,
    POV_TAG36H10,
    POV_TAG25H9,
    POV_TAG16H5,
    POV_TAG_CIRCLE21H7,
    POV_TAG_CIRCLE49H12,
    POV_TAG_CUSTOM48H12,
    POV_TAG_STANDARD41H12,
    POV_TAG_STANDARD52H13,
    POV_TAG_FAMILY_COUNT
} pov_tag_family;

/** "tag36h11", ...: libapriltag's names. */
const char *pov_tag_family_name(pov_tag_family family);
/** Returns false if there is no family of that name. */
bool pov_tag_family_from_name(pov_tag_family *family, const char *name);

/** One tag in an image. Tag frame: origin at its centre, x right and y up as one reads it, z out of the printed face
 *  toward the reader. Corners in the order (-,-), (+,-), (+,+), (-,+) of that frame, times edge / 2. */
typedef struct {
    pov_tag_family family;
    int id;
    pov_vec2 corner_px[4];
    double corner_std_px; /* of each of these coordinates */
    int bits_corrected;
    double decision_margin; /* libapriltag's contrast of bits against their threshold */
} pov_tag;

typedef struct {
    int len;
    bool truncated; /* there were more than POV_TAG_MAX */
    pov_tag tags[POV_TAG_MAX];
} pov_tags;

/** The outcome of a detected tag in the estimate of the camera's pose. */
typedef enum {
    POV_TAG_USED,
    POV_TAG_NOT_IN_MAP,
    POV_TAG_REJECTED, /* in the map, but where it was seen does not fit the others: moved, misprinted, or
                         misread */
    POV_TAG_SEEN,     /* no more than that: there is no map, or the pose is left open */
    POV_TAG_TURNS,    /* on the turntable, whose angle rests on it */
    POV_TAG_OUTCOME_COUNT
} pov_tag_outcome;

/** "used", "not_in_map", "rejected", "seen", "turns". */
const char *pov_tag_outcome_name(pov_tag_outcome value);

enum { POV_PANEL_NAME_CAPACITY = 24 };

/** A rigid thing that bears several tags: a wall, a sheet, a box. By what it is tilted and off, all its tags are. */
typedef struct {
    char name[POV_PANEL_NAME_CAPACITY];      /* "": the tag is on none */
    pov_vec3 middle_m;                       /* about which it is tilted: its tags' mean */
    double position_std_m, rotation_std_rad; /* of each coordinate, and of each angle */
} pov_tag_panel;

/** A tag's place in the world. edge_m: of the square whose corners are detected (the border between black and white). */
typedef struct {
    pov_tag_family family;
    int id;
    double edge_m;
    pov_pose T_table_tag; /* the covariance holds the panel's share too */
    pov_tag_panel panel;
} pov_tag_map_entry;

/** d(tag's error state) / d(panel's), both as in pov_pose: a tilt moves the tag by its distance from the middle. */
void pov_tag_by_panel(double by_panel[6][6], const pov_tag_map_entry *entry);
/** The panel's share of the tag's covariance; 0 without a panel. */
void pov_tag_panel_share(double cov[6][6], const pov_tag_map_entry *entry);

typedef struct {
    int len;
    pov_tag_map_entry tags[POV_TAG_MAP_MAX];
} pov_tag_map;

/** A tag that is not where the map has it. */
typedef struct {
    pov_tag_family family;
    int id;
    int images;                        /* that say so */
    double moved_m, moved_std_m;       /* how far */
    double turned_rad, turned_std_rad; /* by how much */
} pov_moved_tag;

/** A mapped tag, or NULL. */
const pov_tag_map_entry *pov_tag_map_find(const pov_tag_map *map, pov_tag_family family, int id);

/** Corner i (0..3) of a tag with this edge, in the tag frame. */
pov_vec3 pov_tag_corner(double edge_m, int i);
/** The mean of four corners. */
pov_vec2 pov_tag_middle(const pov_vec2 corner_px[4]);
