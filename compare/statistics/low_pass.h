/** The smooth part of a curve, as COMFORT filters it (section 3.5). Pure. */
#ifndef POV_COMPARE_STATISTICS_LOW_PASS_H
#define POV_COMPARE_STATISTICS_LOW_PASS_H

enum { POV_LOW_PASS_PADDING = 18, POV_LOW_PASS_MAX = 36 };

/** Butterworth of order 5, cutoff 0.2 of the Nyquist frequency, forward and backward (zero phase). At the ends the curve
 *  goes on turned by half a turn about its last sample, for 18 samples; it is not taken as circular.
 *  In:  len in (18, 36]; smooth may be samples. The same as scipy's filtfilt(*butter(5, 0.2), samples). */
void pov_low_pass(double *smooth, const double *samples, int len);

#endif
