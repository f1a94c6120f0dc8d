/** A script that does the same work with numpy and scipy: an oracle, and what benchmarks measure against. It reads
 *  commands from stdin, one a line, and answers each with one line. */
#pragma once

typedef struct test_python_peer test_python_peer;

/** Starts tests/bench/`script` with one argument. NULL if python3 has no numpy and scipy. */
test_python_peer *test_python_peer_new(const char *script, const char *argument);
void test_python_peer_destroy(test_python_peer **peer);

/** Sends a command and waits until it is "done". */
void test_python_peer_ask(test_python_peer *peer, const char *command);
