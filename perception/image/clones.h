/** Functions compiled for several processors, the fastest chosen at start. */
#pragma once

/** Before a function whose loops become vector instructions: AVX2 where the processor has it, else SSE2; on arm64 NEON is
 *  always there. All give the same bits: no fused multiplication. Sanitizers cannot run before a function is chosen. */
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__clang__)
#define POV_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define POV_CLONES
#endif
