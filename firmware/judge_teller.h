/** Questions with their answers, one after the other, as text, JSON or CSV. */
#ifndef POV_FIRMWARE_JUDGE_TELLER_H
#define POV_FIRMWARE_JUDGE_TELLER_H

#include "firmware/judge_print.h"
#include "perception/sphere_tasks.h"

/** Where they go. `task` names what is asked next. */
typedef struct {
    FILE *stream;
    const pov_scene *scene;
    pov_output_form form;
    bool first;
    const char *task;
} pov_teller;

/** A question with its answer and that one's probability; p NaN: there is no answer. */
void pov_tell(pov_teller *t, const char *answer, double p, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** The same with the likeliest of some answers. */
#define POV_TELL_CHOICE(t, choice, words, ...)                                                               \
    do {                                                                                                     \
        double tell_p;                                                                                       \
        const char *tell_answer = pov_teller_likeliest(choice, words, &tell_p);                              \
        pov_tell(t, tell_answer, tell_p, __VA_ARGS__);                                                       \
    } while (0)
const char *pov_teller_likeliest(const pov_choice *choice, const char *const words[], double *p);

const char *pov_teller_name(const pov_teller *t, pov_id id);

#endif
