/** The standard error of C++ libraries, which print there past their own logs. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** Nothing that is printed by std::cerr comes out until pov_cerr_resume, which is called as often. What C prints to stderr, as pov does,
 *  comes out at any time. From any thread. */
void pov_cerr_silence(void);
void pov_cerr_resume(void);

#ifdef __cplusplus
}
#endif
