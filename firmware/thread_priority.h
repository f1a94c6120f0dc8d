/** How the system shares the processors between this program's threads. Nothing here fails: where the system does not permit it, or does not know
 *  it, the thread goes on as it is. */
#pragma once

/** Images wait for the calling thread: when it wakes, it need not wait until another thread's time slice is over (Linux 6.12 and later; sched(7)).
 *  Threads that it starts have the system's own slice. */
void pov_thread_goes_first(void);

/** The calling thread works behind those that judge: niceness 10, and the system's own time slice. */
void pov_thread_works_behind(void);
