/* An edited YAML text is YAML still, and has the entry that was set, or has it no more; a text that cannot be edited stays. */
#include "config/yaml/yaml_edit.h"
#include "config/yaml/yaml_file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool is_yaml(const char *text)
{
    pov_yaml_file *file;
    const bool good = pov_yaml_parse(&file, "text", text, strlen(text)).code == POV_OK;
    pov_yaml_close(&file);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"a",       "a.b",     "camera.source", "cast.ball", "cast.ball.class",
                                        "a.b.c.d", "cast.x.y"};
    static const char *const values[] = {"1", "[1, 2]", "{a: 1}", "\"words\"", NULL};
    if (size < 2)
        return 0;
    const char *path = paths[data[0] % 7], *value = values[data[1] % 5];
    char *text = strndup((const char *)data + 2, size - 2),
         *before = strndup((const char *)data + 2, size - 2);
    if (text && before) {
        const bool was_yaml = is_yaml(text), has = value || pov_yaml_has(text, path);
        const pov_status status = pov_yaml_edit(&text, path, value);
        if (status.code != POV_OK
                ? strcmp(text, before) != 0
                : was_yaml && has && (!is_yaml(text) || pov_yaml_has(text, path) != (value != NULL)))
            abort();
    }
    free(text);
    free(before);
    return 0;
}
