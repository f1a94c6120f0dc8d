#include "config/models/model_write.h"

#include "config/files/read_file.h"
#include "config/files/write_file.h"

#include <string.h>

enum { CONTRACT_BYTES_MAX = 4 << 20, SEED = 1 };

/* Lines of the golden part: its key, and those indented below it. */
static void write_others(FILE *stream, const char *text)
{
    bool golden = false, ended = true;
    while (*text) {
        const size_t length = strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n');
        if (strncmp(text, "golden:", 7) == 0)
            golden = true;
        else if (golden && !strchr(" \t\r\n-", *text))
            golden = false;
        if (!golden) {
            fwrite(text, 1, length, stream);
            ended = text[length - 1] == '\n';
        }
        text += length;
    }
    if (!ended)
        fputc('\n', stream);
}

static pov_status write_sealed(const char *path, const pov_golden *golden, const pov_bytes *text)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    write_others(file.stream, (const char *)text->data);
    pov_model_write_golden(file.stream, golden);
    return pov_write_file_end(&file, pov_ok());
}

pov_status pov_model_seal(pov_golden *golden, const char *contract_path)
{
    pov_detector *detector;
    pov_bytes text = {0};
    POV_TRY(pov_model_open_unproven(&detector, contract_path));
    pov_status status = pov_detector_record_golden(detector, golden, SEED);
    pov_detector_destroy(&detector);
    if (status.code == POV_OK)
        status = pov_read_file(&text, contract_path, CONTRACT_BYTES_MAX, "a model's contract");
    if (status.code == POV_OK)
        status = write_sealed(contract_path, golden, &text);
    pov_bytes_free(&text);
    return status;
}
