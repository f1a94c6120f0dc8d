/* How long pov takes from an utterance to its reply, on a table of 20 things and three who look on; and that many utterances, and long ones,
 * cost no memory. There is no peer: no other program answers these. */
#include "ask/talk/talk.h"
#include "config/scene/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { THINGS = 20, ROUNDS = 41, MANY = 100000, LONG_BYTES = 10240, READ_BYTES = 390 };

static const struct {
    const char *kind, *text;
} asked[] = {
    {"pick by words", "give me the red mug"},
    {"pick, several", "give me the mug"},
    {"pick by a relation", "give me the mug left of the red car"},
    {"pick by a relation, one viewer", "give me the mug left of the red car as you see it"},
    {"pick by nearness", "give me the mug next to the red car"},
    {"pick by seeing", "give me the mug that anna can see"},
    {"pick by seeing and nearness", "the mug that anna can see next to the red car"},
    {"pick, nested", "the cup behind the box next to the duck"},
    {"pick, two relations", "the thing left of the red car and in front of the duck"},
    {"superlative", "give me the biggest thing"},
    {"superlative, sideways", "the second mug from the left"},
    {"superlative, to a thing", "which mug is nearest to the duck?"},
    {"yes or no", "is the duck left of the red car?"},
    {"yes or no, one viewer", "is the duck left of the red car from anna's view?"},
    {"yes or no, graded", "is the duck near the red car?"},
    {"does she see it", "does anna see the duck?"},
    {"what does she see", "what can anna see?"},
    {"who sees it", "who can see the duck?"},
    {"in what order", "what does anna see from left to right?"},
    {"how many", "how many mugs are left of the red car?"},
    {"which", "which mug is behind the red car?"},
    {"what is there", "what is on the table?"},
    {"where", "where is the duck?"},
    {"how far", "how far is the duck from the red car?"},
    {"which way", "what is the duck facing?"},
    {"goal", "put the ball behind the red car as you see it"},
    {"goal in every frame", "put the ball behind the red car"},
    {"goal between", "put the ball between the duck and the box"},
    {"with slips", "giv me teh red mgu"},
    {"refused, a thing", "give me the spoon"},
    {"refused, a topic", "what is anna thinking?"},
    {"refused, nonsense", "the of and left put seven under whether which"},
    {"in German", "gib mir die rote Tasse"},
    {"in French, with a relation", "donne-moi la tasse à gauche de la voiture rouge de ton point de vue"},
    {"in Russian, with a slip", "дай мне краснуу кружку рядом с уткой"},
    {"in Japanese", "あなたから見て赤い車の左にあるマグカップを取ってください"},
    {"in no language", "xyzzy plugh frotz gnusto rezrov"},
};

/* A shelf's worth of things in rows on a table; half of the mugs behind the box for anna. */
static pov_status make_scene(pov_scene *scene)
{
    static const char *const kinds[] = {"mug",   "mug",   "mug",  "mug",  "car", "car", "block",
                                        "block", "block", "ball", "duck", "box", "cup", "cup",
                                        "book",  "plate", "pen",  "bear", "jar"};
    static const char *const names[] = {"red_mug",  "blue_mug",  "green_mug",  "white_mug",   "red_car",
                                        "blue_car", "red_block", "blue_block", "green_block", "ball",
                                        "duck",     "box",       "tin_cup",    "paper_cup",   "book",
                                        "plate",    "pen",       "bear",       "jar"};
    static char text[16384];
    size_t length = (size_t)snprintf(
        text, sizeof text,
        "camera: {position_m: [0, -1.8, 1.2], look_at_m: [0, 0, 0], sees: {shape: frustum, horizontal_deg: "
        "90, vertical_deg: 70}}\n"
        "entities:\n"
        "  - {id: table, position_m: [0, 0, -0.02], size_m: [1.8, 1.4, 0.04], yaw_deg: 0, shape: box}\n");
    for (int i = 0; i < THINGS - 1; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length,
                             "  - {id: %s, class: %s, position_m: [%.2f, %.2f, 0.05], position_std_m: 0.005, "
                             "size_m: [0.%02d, 0.08, 0.1], front_deg: %d}\n",
                             names[i], kinds[i], -0.7 + 0.35 * (i % 5) + 0.03 * (i / 5),
                             -0.45 + 0.3 * (i / 5), 6 + i % 7, 40 * i % 360);
    snprintf(text + length, sizeof text - length,
             "  - {id: anna, class: woman, position_m: [0, 1.3, 0.6], size_m: [0.3, 0.5, 1.2], front_deg: "
             "270, addressee: true,\n"
             "     sees: {horizontal_deg: 170, vertical_deg: 120, eye_m: [0.1, 0, 0.2]}}\n"
             "  - {id: bob, class: man, position_m: [1.5, 0, 0.6], size_m: [0.3, 0.5, 1.2], front_deg: 180,\n"
             "     sees: {horizontal_deg: 170, vertical_deg: 120, eye_m: [0.1, 0, 0.5]}}\n");
    return pov_scene_file_parse(scene, "table", text, strlen(text));
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* it waits for nothing; others may use the processor */
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double hear_ms(pov_talk *talk, const pov_talk_about *about, const char *text, pov_outcome *outcome)
{
    pov_talk_reply reply;
    const double begin = now_ms();
    const pov_status status = pov_talk_hear(talk, &reply, about, text);
    const double took = now_ms() - begin;
    if (status.code != POV_OK) {
        fprintf(stderr, "bench_ask: %s: %s\n", text, status.message);
        exit(1);
    }
    *outcome = reply.outcome;
    pov_talk_reply_clear(&reply);
    return took;
}

static int compare(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static long resident_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void measure_kinds(pov_talk *talk, const pov_talk_about *about, pov_scene *scene)
{
    double worst = 0;
    printf("%-32s %10s %10s   %s\n", "utterance to reply, 20 things", "median ms", "p99 ms", "outcome");
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        double took[ROUNDS];
        pov_outcome outcome = POV_REFUSED;
        for (int k = 0; k < ROUNDS; k++) {
            pov_talk_forget(talk);
            scene->entities[1].position.mean_m.x += 1e-9; /* another image: nothing is known of it yet */
            took[k] = hear_ms(talk, about, asked[i].text, &outcome);
        }
        qsort(took, ROUNDS, sizeof *took, compare);
        worst = took[ROUNDS / 2] > worst ? took[ROUNDS / 2] : worst;
        printf("%-32s %10.2f %10.2f   %s: %s\n", asked[i].kind, took[ROUNDS / 2], took[ROUNDS - 1],
               pov_outcome_name(outcome), asked[i].text);
    }
    printf("slowest median: %.2f ms\n", worst);
}

static void measure_bounds(pov_talk *talk, const pov_talk_about *about)
{
    static char text[LONG_BYTES + 1];
    pov_outcome outcome;
    double longest = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) { /* as long as is read at all */
        size_t length = 0;
        text[0] = '\0';
        for (int words = 0; words < 60 && length + strlen(asked[i].text) + 2 < READ_BYTES;
             length = strlen(text)) {
            snprintf(text + length, sizeof text - length, "%s ", asked[i].text);
            for (const char *c = asked[i].text; *c != '\0'; c++)
                words += *c == ' ' || ((unsigned char)*c & 0xf0) == 0xe0;
            words++;
        }
        const double took = hear_ms(talk, about, text, &outcome);
        longest = took > longest ? took : longest;
    }
    printf("utterances of 60 words: at most %.2f ms\n", longest);
    longest = 0;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        text[0] = '\0';
        for (size_t length = 0; length + strlen(asked[i].text) + 2 < sizeof text; length = strlen(text))
            snprintf(text + length, sizeof text - length, "%s ", asked[i].text);
        const double took = hear_ms(talk, about, text, &outcome);
        longest = took > longest ? took : longest;
    }
    for (int c = 1; c < ' '; c++) {
        snprintf(text, sizeof text, "give me the %c mug", c);
        const double took = hear_ms(talk, about, text, &outcome);
        longest = took > longest ? took : longest;
    }
    printf("10 kB or control characters: at most %.2f ms\n", longest);
    const char *const words[] = {"give", "me",  "the",  "mug", "left", "of",  "red",
                                 "car",  "and", "duck", "is",  "she",  "teh", "no"};
    unsigned seed = 1;
    const double begin = now_ms();
    long before = 0;
    for (int i = 0; i < MANY; i++) {
        text[0] = '\0';
        for (int k = 0; k < 4; k++) {
            seed = seed * 1103515245u + 12345u;
            strcat(strcat(text, words[(seed >> 16) % (sizeof words / sizeof *words)]), " ");
        }
        (void)hear_ms(talk, about, text, &outcome);
        if (i == MANY / 10)
            before = resident_kb();
    }
    printf(
        "%d utterances in one session: %.2f ms each, memory %+ld kB since the first tenth (%ld MB in all)\n",
        MANY, (now_ms() - begin) / MANY, resident_kb() - before, resident_kb() / 1024);
}

int main(int argc, char **argv)
{
    static pov_scene scene;
    static const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_talk *talk;
    pov_status status = make_scene(&scene);
    if (status.code == POV_OK)
        status = pov_talk_new(&talk);
    if (status.code != POV_OK) {
        fprintf(stderr, "bench_ask: %s\n", status.message);
        return 1;
    }
    const pov_talk_about about = {.scene = &scene, .judging = &judging};
    if (argc > 1) { /* one utterance, for a profiler */
        pov_outcome outcome;
        for (int i = 0; i < 100; i++) {
            scene.entities[1].position.mean_m.x += 1e-9;
            (void)hear_ms(talk, &about, argv[1], &outcome);
        }
    } else {
        measure_kinds(talk, &about, &scene);
        measure_bounds(talk, &about);
    }
    pov_talk_destroy(&talk);
    return 0;
}
