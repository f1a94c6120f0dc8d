/* Asks about the last image of a recording: ask_recording SESSION.mcap "what is left of the ball?"
 *   cc ask_recording.c $(pkg-config --cflags --libs povlink) -o ask_recording */
#include <povlink.h>
#include <stdio.h>
#include <stdlib.h>

static void check(pov_status status)
{
    if (status.code != POV_OK)
        exit((fprintf(stderr, "%s\n", status.message), 1));
}

int main(int argc, char **argv)
{
    povlink_source *recording;
    povlink_decoder *decoder;
    povlink_talk *talk;
    povlink_event event;
    povlink_decoded facts;
    pov_scene *scene = NULL;
    pov_status status;
    const char *reply = "no image";
    if (argc != 3)
        return fprintf(stderr, "usage: ask_recording SESSION.mcap QUESTION\n"), 2;
    check(povlink_recording_open(&recording, argv[1]));
    check(povlink_decoder_new(&decoder));
    check(povlink_talk_new(&talk));
    while ((status = povlink_source_next(recording, &event, 1 << POVLINK_OBSERVATION, 0)).code != POV_END)
        if (status.code != POV_SKIPPED) { /* a damaged part */
            check(status);
            check(povlink_decode(decoder, &facts, event.bytes, event.len));
            pov_scene_destroy(&scene);
            check(povlink_decoded_scene(decoder, &scene));
        }
    if (scene)
        check(povlink_talk_ask(talk, &reply, scene, NULL, argv[2]));
    puts(reply);
    pov_scene_destroy(&scene); /* the rest goes with the process */
}
