/* std::cerr is silenced; pov's own messages come out from any thread. */
#include "perception/models/cerr_shim.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

extern "C" {
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
}

namespace
{
/* What `act` writes to the descriptor 2. */
template <typename Act> std::string printed_by(Act act)
{
    std::FILE *file = std::tmpfile();
    assert_non_null(file);
    const int before = dup(STDERR_FILENO);
    assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
    act();
    std::fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    close(before);
    std::string text(1000, '\0');
    std::rewind(file);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}

void messages_of_other_threads_come_out_while_a_library_is_silenced(void **)
{
    const std::string text = printed_by([] {
        pov_cerr_silence();
        std::cerr << "Schema error\n" << std::flush;
        std::thread([] { std::fprintf(stderr, "pov: the disk is full\n"); }).join();
        pov_cerr_resume();
        std::cerr << "heard\n" << std::flush;
    });
    assert_string_equal(text.c_str(), "pov: the disk is full\nheard\n");
}

void it_is_heard_again_when_the_last_of_two_has_resumed(void **)
{
    const std::string text = printed_by([] {
        pov_cerr_silence();
        pov_cerr_silence();
        pov_cerr_resume();
        std::cerr << "one of two" << std::flush;
        pov_cerr_resume();
        std::cerr << "none" << std::flush;
    });
    assert_string_equal(text.c_str(), "none");
}
} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_other_threads_come_out_while_a_library_is_silenced),
        cmocka_unit_test(it_is_heard_again_when_the_last_of_two_has_resumed),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
