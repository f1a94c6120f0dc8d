/* Plans of experiments: any bytes either parse, and give each of their sweeps a name and a table, or give an error. */
#include "compare/study/experiment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pov_experiment *e;
    pov_text name = {0};
    pov_wanted_scene wanted;
    int order[POV_EXPERIMENT_MODELS_MAX];
    if (pov_experiment_parse(&e, "fuzz.yaml", (const char *)data, size).code == POV_OK)
        for (int i = 0; i < e->cell_len; i++) {
            pov_experiment_name(&name, e, &e->cells[i]);
            pov_experiment_wanted(&wanted, e, &e->cells[i]);
            pov_experiment_order_models(order, e, i);
        }
    pov_text_free(&name);
    pov_experiment_destroy(&e);
    return 0;
}
