#include "perception/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static pov_status status_from(pov_code code, const char *format, va_list arguments)
{
    pov_status status = pov_status_of(code);
    vsnprintf(status.message, sizeof status.message, format, arguments);
    return status;
}

pov_status pov_status_with(pov_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pov_status status = status_from(code, format, arguments);
    va_end(arguments);
    return status;
}

pov_status pov_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    pov_status status = status_from(POV_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

void pov_abort(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: broken contract: %s\n", file, line, condition);
    abort();
}
