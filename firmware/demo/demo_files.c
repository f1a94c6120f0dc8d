#include "firmware/demo/demo_files.h"

#include "config/files/write_file.h"

pov_status pov_demo_file_write(const char *path, const char *name, const char *more)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    fprintf(file.stream, "%s%s", (const char *)pov_embedded_find(POV_DEMO_FILES, name)->bytes, more);
    return pov_write_file_end(&file, pov_ok());
}
