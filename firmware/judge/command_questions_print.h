/** Questions to models, with what would be right, as people, spreadsheets and programs read them. docs/QUESTIONS.md. */
#pragma once

#include "compare/questions/question.h"

#include <stdio.h>

typedef enum { POV_QUESTIONS_AS_TEXT, POV_QUESTIONS_AS_JSON, POV_QUESTIONS_AS_CSV } pov_question_form;

void pov_questions_print(FILE *stream, const pov_questions *questions, const pov_scene *scene,
                         pov_question_form form);

/** Codes and names of those that come with pov, for shells to complete. */
void pov_languages_offer(FILE *stream);

/** A line a row of the table of conditions: kind, name, what it does, its source. CSV is printed as text. */
void pov_prompt_conditions_print(FILE *stream, pov_question_form form);

/** A line a language: code, name, convention, whose wording, words for yes and no. CSV is printed as text. */
void pov_languages_print(FILE *stream, const pov_languages *languages, pov_question_form form);
