#include "tests/support/simulated_line.h"

#include <stdlib.h>
#include <string.h>

static const int64_t step_ns = 1000000;

static bool gone(test_table *table)
{
    bool is_gone = table->now_ns >= table->gone_ns && table->now_ns < table->back_ns;
    table->open = table->open && !is_gone;
    return is_gone;
}

static void power_cycle(test_table *table)
{
    pov_grbl_controller_config config = table->config;
    config.start_rad = pov_grbl_controller_true_rad(table->controller, table->now_ns);
    pov_grbl_controller_destroy(&table->controller);
    if (pov_grbl_controller_new(&table->controller, &config, table->now_ns).code != POV_OK)
        abort();
}

static bool booting(test_table *table)
{
    if (table->up_ns == 0 || table->now_ns < table->up_ns)
        return table->up_ns != 0;
    table->up_ns = 0;
    power_cycle(table);
    return false;
}

static pov_status sim_open(void *impl)
{
    test_table *table = impl;
    char dropped[512];
    if (gone(table))
        return pov_error("no such device");
    if (table->boot_ns > 0) {
        table->up_ns = table->now_ns + table->boot_ns;
        table->boot_ns = 0;
    }
    if (table->loses_power && table->now_ns >= table->back_ns) {
        power_cycle(table);
        table->loses_power = false;
    }
    while (!table->restarts_on_opening &&
           pov_grbl_controller_send(table->controller, dropped, sizeof dropped, table->now_ns) > 0)
        ;
    table->open = true;
    return pov_ok();
}

/* Takes the byte at `at` out of a text. */
static void lose(char *at, size_t *length)
{
    memmove(at, at + 1, strlen(at));
    --*length;
}

static void damage_turn(test_table *table, char *line, size_t *length)
{
    char *point = strchr(line, '.');
    if (table->damaged_turns == 0 || !strstr(line, "G1") || !point)
        return;
    table->damaged_turns--;
    lose(point, length);
}

static void damage_report(test_table *table, char *text, size_t *length)
{
    char *place = strstr(text, "MPos:");
    if (table->damage_report > 0 && place && --table->damage_report == 0)
        lose(place + 5, length);
}

static pov_status sim_write(void *impl, const char *bytes, size_t length, int64_t until_ns)
{
    test_table *table = impl;
    if (gone(table) || !table->open)
        return pov_status_with(POV_END, "gone");
    if (table->stuck) {
        table->now_ns = until_ns;
        return pov_status_of(POV_TIMEOUT);
    }
    char sent[200] = "";
    if (length >= sizeof sent)
        abort();
    memcpy(sent, bytes, length);
    damage_turn(table, sent, &length);
    if (!booting(table))
        pov_grbl_controller_receive(table->controller, sent, length, table->now_ns);
    return pov_ok();
}

static pov_status sim_read(void *impl, size_t *length, char *bytes, size_t capacity, int64_t until_ns)
{
    test_table *table = impl;
    for (;;) {
        if (gone(table) || !table->open)
            return pov_status_with(POV_END, "gone");
        if (!booting(table))
            *length = pov_grbl_controller_send(table->controller, bytes, capacity - 1, table->now_ns);
        bytes[*length] = '\0';
        damage_report(table, bytes, length);
        if (*length > 0)
            return pov_ok();
        if (table->now_ns >= until_ns)
            return pov_status_of(POV_TIMEOUT);
        table->now_ns += step_ns < until_ns - table->now_ns ? step_ns : until_ns - table->now_ns;
    }
}

static int64_t sim_now_ns(void *impl)
{
    return ((test_table *)impl)->now_ns;
}

static void sim_wait(void *impl, int64_t until_ns)
{
    ((test_table *)impl)->now_ns = until_ns;
}

static void sim_destroy(void *impl)
{
    (void)impl;
}

static const pov_serial_backend backend = {sim_open, sim_write, sim_read, sim_now_ns, sim_wait, sim_destroy};

void test_table_start(test_table *table, const pov_grbl_controller_config *config)
{
    *table =
        (test_table){.now_ns = 1000000000, .gone_ns = INT64_MAX, .back_ns = INT64_MAX, .config = *config};
    pov_status status = pov_grbl_controller_new(&table->controller, config, table->now_ns);
    if (status.code == POV_OK)
        status = pov_serial_line_new(&table->line, &backend, table, "simulated");
    if (status.code != POV_OK)
        abort();
}

void test_table_end(test_table *table)
{
    pov_serial_line_destroy(&table->line);
    pov_grbl_controller_destroy(&table->controller);
}

void test_table_fail(test_table *table, const pov_grbl_faults *faults)
{
    pov_grbl_controller_fail(table->controller, faults, table->now_ns);
}

double test_table_true_deg(test_table *table)
{
    return pov_grbl_controller_true_rad(table->controller, table->now_ns) * 180 / 3.14159265358979323846;
}

void test_table_say(test_table *table, const char *text)
{
    char dropped[512];
    pov_grbl_controller_receive(table->controller, text, strlen(text), table->now_ns);
    pov_grbl_controller_receive(table->controller, "\n", 1, table->now_ns);
    while (pov_grbl_controller_send(table->controller, dropped, sizeof dropped, table->now_ns) > 0)
        ;
}
