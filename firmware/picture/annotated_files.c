#include "firmware/picture/annotated_files.h"

#include "compare/statistics/name_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each new image takes one new file: the same number in both. */
struct pov_annotated_files {
    pov_name_set *images, *files;
};

pov_annotated_files *pov_annotated_files_new(void)
{
    pov_annotated_files *made = pov_allocate(1, sizeof *made);
    made->images = pov_name_set_new();
    made->files = pov_name_set_new();
    return made;
}

void pov_annotated_files_destroy(pov_annotated_files **files)
{
    if (!*files)
        return;
    pov_name_set_destroy(&(*files)->images);
    pov_name_set_destroy(&(*files)->files);
    free(*files);
    *files = NULL;
}

/* The n-th name to try: without its extension, with it, with a number after it. */
static void propose_name(char file[POV_ANNOTATED_FILE_CAPACITY], const char *name, int n)
{
    char plain[POV_IMAGE_NAME_CAPACITY], number[16] = "";
    snprintf(plain, sizeof plain, "%s", name);
    for (char *c = plain; *c; c++)
        if (*c == '/' || (unsigned char)*c < ' ')
            *c = '_';
    char *dot = strrchr(plain, '.');
    if (n == 0 && dot && dot != plain && strlen(dot) <= 5)
        *dot = '\0';
    if (n > 1)
        snprintf(number, sizeof number, "-%d", n);
    snprintf(file, POV_ANNOTATED_FILE_CAPACITY, "%.*s%s.png", POV_IMAGE_NAME_CAPACITY - 1, plain, number);
}

void pov_annotated_files_name(pov_annotated_files *files, char file[POV_ANNOTATED_FILE_CAPACITY],
                              const char *key, const char *name)
{
    const int number = pov_name_set_add(files->images, key, strlen(key));
    if (number < pov_name_set_len(files->files)) {
        snprintf(file, POV_ANNOTATED_FILE_CAPACITY, "%s", pov_name_set_at(files->files, number));
        return;
    }
    for (int n = 0, taken = -1; taken != number; n++) {
        propose_name(file, name, n);
        taken = pov_name_set_add(files->files, file, strlen(file));
    }
}
