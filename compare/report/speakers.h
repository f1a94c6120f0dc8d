/** Lists the speakers of each language by region. The build makes the list of Unicode's CLDR (territoryInfo, territoryContainment). */
#pragma once

/** One language in one territory of a region; a person may speak several. */
typedef struct {
    const char *region;   /* in English, of the United Nations' M49: "Eastern Africa" */
    const char *language; /* "sw"; "zh_Hant" */
    double speakers;
} pov_speakers;

/** Of CLDR: "41"; "": it was not there when pov was built, and the list is empty. */
extern const char POV_SPEAKERS_VERSION[];
/** Ended by one whose region is NULL; territories of a region stand apart. */
extern const pov_speakers POV_SPEAKERS[];
