/** What hangs on the motor: a disc that slips, has play, and follows late. Pure: angles and times in, an angle out. */
#ifndef POV_SIM_TURNTABLE_GRBL_TABLE_H
#define POV_SIM_TURNTABLE_GRBL_TABLE_H

#include <stdint.h>

typedef struct {
    double slip;         /* share of each turn that does not reach the disc, 0 to 1 */
    double backlash_deg; /* the disc follows a turn back only after so much of it */
    double lag_s;        /* the disc comes after with this time constant */
} pov_grbl_play;

/** Start with all angles at the disc's. */
typedef struct {
    double motor_deg; /* as last seen; its zero means nothing */
    double drive_deg; /* what of it reaches the disc */
    double free_deg;  /* where the disc would stand without lag */
    double disc_deg;  /* where it stands: the truth */
    int64_t now_ns;
} pov_grbl_table;

/** The motor has turned, evenly and one way, to motor_deg at now_ns. A positive turn ends where the motor does, a
 *  negative one short of it by the backlash. */
void pov_grbl_table_follow(pov_grbl_table *table, const pov_grbl_play *play, double motor_deg,
                           int64_t now_ns);
/** The motor turned by so much without the disc. */
void pov_grbl_table_lose(pov_grbl_table *table, double turn_deg);

#endif
