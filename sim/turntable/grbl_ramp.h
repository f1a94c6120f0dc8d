/** A turn under bounded speed and acceleration: up, along, down; a triangle of speed where it is short. Angles are in
 *  degrees, which are a controller's millimetres when its axis turns. */
#ifndef POV_SIM_TURNTABLE_GRBL_RAMP_H
#define POV_SIM_TURNTABLE_GRBL_RAMP_H

typedef struct {
    double from_deg, sign; /* sign: 1 or -1 */
    double peak_deg_s, acceleration_deg_s2;
    double up_s, along_s, down_s;
} pov_grbl_ramp;

/** From rest to rest. Speed and acceleration must be positive. */
pov_grbl_ramp pov_grbl_ramp_turn(double from_deg, double to_deg, double speed_deg_s,
                                 double acceleration_deg_s2);
/** From a speed (signed) to rest. */
pov_grbl_ramp pov_grbl_ramp_stop(double from_deg, double speed_deg_s, double acceleration_deg_s2);

double pov_grbl_ramp_duration_s(const pov_grbl_ramp *ramp);
/** At t_s after its start; before it and after its end it stands. */
double pov_grbl_ramp_angle_deg(const pov_grbl_ramp *ramp, double t_s);
double pov_grbl_ramp_speed_deg_s(const pov_grbl_ramp *ramp, double t_s);

#endif
