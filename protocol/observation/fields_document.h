/** The fields of messages and of their JSON as tables in Markdown: docs/JSON.md and docs/WIRE.md hold these very tables. */
#pragma once

#include <stdio.h>

typedef enum { POV_FIELDS_JSON, POV_FIELDS_WIRE, POV_FIELDS_FORMS } pov_fields_form;

/** A heading and a table for each object of JSON, or message of pov.proto. */
void pov_fields_document(FILE *stream, pov_fields_form form);
