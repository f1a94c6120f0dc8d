#include "perception/models/cerr_shim.h"

#include <iostream>
#include <mutex>

namespace
{
std::mutex lock;
int silenced;
std::streambuf *before;
} // namespace

void pov_cerr_silence(void)
{
    const std::lock_guard<std::mutex> guard(lock);
    if (silenced++ == 0)
        before = std::cerr.rdbuf(nullptr);
}

void pov_cerr_resume(void)
{
    const std::lock_guard<std::mutex> guard(lock);
    if (--silenced == 0)
        std::cerr.rdbuf(before);
}
