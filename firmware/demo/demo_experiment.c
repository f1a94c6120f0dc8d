#include "config/files/write_file.h"
#include "firmware/demo/demo_files.h"
#include "firmware/demo/demo_uses.h"
#include "firmware/own_commands.h"

#include <stdio.h>

pov_status pov_demo_experiment(const char *folder)
{
    char plan[POV_PATH_CAPACITY], out[POV_PATH_CAPACITY];
    const char *const experiment[] = {"pov", "experiment", "run", plan, "--out", out, "--no-wait", NULL};
    POV_TRY(pov_path_join(plan, folder, "experiment.yaml"));
    POV_TRY(pov_path_join(out, folder, "experiment"));
    POV_TRY(pov_write_folder(folder));
    POV_TRY(pov_demo_file_write(plan, "experiment.yaml", ""));
    printf("A plan of four sweeps: %s\nDoing it: pov experiment run %s --out %s\n", plan, plan, out);
    POV_TRY(pov_own_command_run(experiment, NULL));
    printf("\nLook at  %s/report.html\nEach figure is in %s/figures, with the command that makes it again in "
           "its .txt.\n",
           out, out);
    return pov_ok();
}
