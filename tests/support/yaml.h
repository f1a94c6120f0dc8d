/** YAML from text, and exact complaints. Include after cmocka.h. */
#pragma once

#include "config/yaml/yaml_file.h"

#include <string.h>

/** A file "s.yaml" of this text, which must parse. */
static inline pov_yaml_file *test_yaml(const char *text)
{
    pov_yaml_file *file = NULL;
    pov_status status = pov_yaml_parse(&file, "s.yaml", text, strlen(text));
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    return file;
}

/** Finishes with exactly this message ("": without any), and closes. */
static inline void assert_finishes(pov_yaml_file *file, const char *message)
{
    pov_status status = pov_yaml_finish(file);
    assert_string_equal(status.message, message);
    assert_int_equal(status.code, *message ? POV_ERROR : POV_OK);
    pov_yaml_close(&file);
    assert_null(file);
}
