/* A plugin of qemu's user mode (qemu-plugin.h of 7.2, of which Debian has no package): counts the instructions that a program runs. */
#include <stdint.h>
#include <stdio.h>

enum { PROCESSORS = 1024, NO_REGISTERS = 0 };

typedef struct qemu_info_t qemu_info_t;
struct qemu_plugin_tb;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*translated)(uint64_t id, struct qemu_plugin_tb *block));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                          void (*executed)(unsigned processor, void *user), int flags,
                                          void *user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *user), void *user);
int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv);

int qemu_plugin_version = 1;
static uint64_t run[PROCESSORS][8]; /* a cache line for each, which is one thread's */

static void count_block(unsigned processor, void *len)
{
    run[processor % PROCESSORS][0] += (uintptr_t)len;
}

static void watch_block(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, count_block, NO_REGISTERS,
                                         (void *)qemu_plugin_tb_n_insns(block));
}

static void print_sum(uint64_t id, void *user)
{
    uint64_t sum = 0;
    (void)id;
    (void)user;
    for (int i = 0; i < PROCESSORS; i++)
        sum += run[i][0];
    fprintf(stderr, "instructions %llu\n", (unsigned long long)sum);
}

int qemu_plugin_install(uint64_t id, const qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    (void)argc;
    (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, watch_block);
    qemu_plugin_register_atexit_cb(id, print_sum, NULL);
    return 0;
}
