/* Any text of a model is read without harm, and a mark at its end decides alone. */
#include "compare/answers/released_reading.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_MAX = 1000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const char *const options[] = {"left", "the right side", "not sure"};

static const char *const labelled[] = {"A is closer", "B is closer"};

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_readers(const char *answer)
{
    static const char *const yes[] = {"ja", "是", "i", NULL}, *const no[] = {"nein", "不是", NULL};
    const pov_yes_no_words words = {yes, no};
    bool is_yes, directions[4];
    double number;
    int option;
    expect(pov_answer_yes_no(&is_yes, answer, &POV_YES_NO_ENGLISH) < POV_ANSWER_KINDS);
    expect(pov_answer_yes_no(&is_yes, answer, &words) < POV_ANSWER_KINDS);
    expect(pov_answer_option(&option, answer, options, 3) == POV_ANSWER_GIVEN ? option >= 0 && option < 3
                                                                              : option == -1);
    expect(pov_answer_number(&number, answer) == POV_ANSWER_GIVEN ? number >= 0 : number == 0);
    expect(pov_answer_option(&option, answer, labelled, 2) == POV_ANSWER_GIVEN ? option >= 0 && option < 2
                                                                               : option == -1);
    for (int circle = 0; circle < 2; circle++) {
        const pov_answer_kind kind = pov_answer_directions(directions, answer, (pov_answer_circle)circle);
        const int parts = directions[0] + directions[1] + directions[2] + directions[3];
        expect(kind == POV_ANSWER_GIVEN ? parts == 1 || parts == 2 : parts == 0);
    }
}

static void check_released(const char *answer)
{
    pov_relation relation;
    pov_forest_frame frame;
    int option;
    double count;
    bool label;
    pov_released_relation(&relation, answer);
    expect(relation == POV_LEFT_OF || relation == POV_RIGHT_OF || relation == POV_IN_FRONT_OF ||
           relation == POV_BEHIND);
    pov_released_frame(&frame, answer);
    expect(frame >= 0 && frame < POV_FOREST_FRAME_COUNT);
    expect((pov_released_option(&option, answer, options, 3) == POV_ANSWER_GIVEN) == (option >= 0) &&
           option < 3);
    expect(pov_released_count(&count, answer) == POV_ANSWER_GIVEN ? count >= 0 : count == 0);
    expect(pov_released_label(&label, answer) == POV_ANSWER_GIVEN || !label);
}

static void check_marks(char *answer)
{
    bool directions[4];
    char *end = answer + strlen(answer);
    if (strpbrk(answer, "<[{\"'\\\xe2")) /* thoughts, JSON */
        return;
    strcpy(end, "\nFinal answer: left");
    expect(pov_answer_directions(directions, answer, POV_ANSWER_SIDES) == POV_ANSWER_GIVEN && directions[3] &&
           !directions[0] && !directions[1] && !directions[2]);
    strcpy(end, "\nAnswer: Unable to determine.");
    expect(pov_answer_directions(directions, answer, POV_ANSWER_SIDES) == POV_ANSWER_REFUSED);
    strcpy(end, "\nAnswer: top");
    expect(pov_answer_directions(directions, answer, POV_ANSWER_SIDES) == POV_ANSWER_UNCLEAR);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static char answer[LENGTH_MAX + 100];
    length = length < LENGTH_MAX ? length : LENGTH_MAX;
    memcpy(answer, bytes, length);
    answer[length] = '\0';
    check_readers(answer);
    check_released(answer);
    check_marks(answer);
    return 0;
}
