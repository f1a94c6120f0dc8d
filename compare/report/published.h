/** What the papers published, to be put beside our own tables. */
#ifndef POV_COMPARE_REPORT_PUBLISHED_H
#define POV_COMPARE_REPORT_PUBLISHED_H

typedef struct {
    const char *paper, *table; /* ours: "comfort", "performance" */
    const char *source;        /* "Zhang et al. 2025, Table 5" */
    const char *columns;       /* keys of that table, tabs between; "|" between names that one may have */
    const char *const *rows;   /* values in print, tabs between; ended by NULL */
} pov_published;

/** Ended by one whose paper is NULL. */
extern const pov_published POV_PUBLISHED[];

#endif
