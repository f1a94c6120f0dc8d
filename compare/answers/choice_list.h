/** Options as data files write them, and which of them a gold names. Pure. */
#pragma once

#include "compare/answers/answer_parse.h"

/** Texts without their letters. Free with pov_choice_list_free. */
typedef struct {
    int len;
    char *text[POV_ANSWER_OPTIONS_MAX];
} pov_choice_list;

/** Reads "A. left\nB. right", "left|right", a list of JSON or Python (["left", 'right']), or an object ({"A": "left"}). Letters before
 *  options ("A.", "A)", "(A)", "A:") are dropped if they count from A on.
 *  Returns: false, and an empty list: there is none, or there are more than POV_ANSWER_OPTIONS_MAX. */
bool pov_choice_list_read(pov_choice_list *list, const char *text);
/** The texts of a list of JSON or Python as they are: names of files may begin with a letter and a full stop. */
bool pov_choice_list_read_names(pov_choice_list *list, const char *text);
/** The options at the end of a question: "... what is to my left? A. Door B. Sink". Out: stem_length: of the question before them. */
bool pov_choice_list_read_end(pov_choice_list *list, size_t *stem_length, const char *question);
/** Adds one; false: there is no room. */
bool pov_choice_list_add(pov_choice_list *list, const char *text, size_t length);
void pov_choice_list_free(pov_choice_list *list);
/** Two of the same text; -1: there are none. */
int pov_choice_list_double(const pov_choice_list *list);

/** The option that a gold names: its text, its letter ("B", "(b)", "B. right"), in this order. -1: none. An empty list: letters only. */
int pov_choice_list_gold(const pov_choice_list *list, const char *gold);
/** The option whose text this is, whatever case and space and a full stop at its end; -1: none. */
int pov_choice_list_find(const pov_choice_list *list, const char *text);
