#include "firmware/gstreamer/gstreamer_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"

static void a_stream_url_is_taken_apart(void **state)
{
    static const struct {
        const char *text, *user, *password, *location, *shown;
    } cases[] = {{"rtsp://10.0.0.5/live", "", "", "rtsp://10.0.0.5/live", "rtsp://10.0.0.5/live"},
                 {"rtsp://anna@cam/live", "anna", "", "rtsp://cam/live", "rtsp://cam/live"},
                 {"rtsps://anna:s3cret@cam:8554/a/b?token=abc", "anna", "s3cret",
                  "rtsps://cam:8554/a/b?token=abc", "rtsps://cam:8554/a/b"},
                 {"rtsp://anna:p%40ss%3aw@cam", "anna", "p@ss:w", "rtsp://cam", "rtsp://cam"},
                 {"rtsp://anna:p@ss@cam/x@y", "anna", "p@ss", "rtsp://cam/x@y", "rtsp://cam/x@y"},
                 {"rtsp://[fe80::1]:554/x", "", "", "rtsp://[fe80::1]:554/x", "rtsp://[fe80::1]:554/x"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_stream_url url;
        assert_int_equal(pov_stream_url_read(&url, cases[i].text).code, POV_OK);
        assert_string_equal(url.user, cases[i].user);
        assert_string_equal(url.password, cases[i].password);
        assert_string_equal(url.location, cases[i].location);
        assert_string_equal(url.shown, cases[i].shown);
    }
}

static void what_is_no_stream_url_is_refused_without_being_shown(void **state)
{
    static const char *const wrong[] = {"http://anna:s3cret@cam/",   "anna:s3cret@cam",
                                        "rtsp://anna:s3cret@",       "rtsp://anna:s3cret@/x",
                                        "rtsp://anna:s3cret@:554/x", ""};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pov_stream_url url;
        const pov_status status = pov_stream_url_read(&url, wrong[i]);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, "rtsp://"));
        assert_null(strstr(status.message, "s3cret"));
    }
}

static void credentials_are_taken_out_of_any_text(void **state)
{
    static const struct {
        const char *text, *hidden;
    } cases[] = {{"camera: {source: rtsp, url: rtsp://anna:s3cret@cam/live}\ncast: []\n",
                  "camera: {source: rtsp, url: rtsp://***@cam/live}\ncast: []\n"},
                 {"rtsp://a@cam rtsp://b:c@d", "rtsp://*@cam rtsp://***@d"},
                 {"rtspsrc location=rtsp://cam/x user-id=anna user-pw=s3cret ! decodebin",
                  "rtspsrc location=rtsp://cam/x user-id=*** user-pw=*** ! decodebin"},
                 {"user-pw=\"a b c\" ! x", "user-pw=*** ! x"},
                 {"pipeline: \"rtspsrc user-pw=\\\"a b\\\" ! x\"", "pipeline: \"rtspsrc user-pw=*** ! x\""},
                 {"user-pw=\"a\\\"b\" ! x", "user-pw=*** ! x"},
                 {"user-pw=\"no end", "user-pw=***"},
                 {"user-pw = s3cret ! x", "user-pw = *** ! x"},
                 {"http://host/path@2x and mail@host stay", "http://host/path@2x and mail@host stay"},
                 {"", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s", cases[i].text);
        const size_t length = pov_credentials_hide(text, strlen(text));
        assert_string_equal(text, cases[i].hidden);
        assert_int_equal(length, strlen(cases[i].hidden));
    }
}

static void elements_that_write_or_listen_are_refused_and_cameras_are_not(void **state)
{
    static const struct {
        const char *element, *klass;
        bool is_sink, refused;
    } cases[] = {{"filesink", "Sink/File", true, true},
                 {"v4l2sink", "Sink/Video", true, true},
                 {"udpsink", "Sink/Network", true, true},
                 {"udpsrc", "Source/Network", false, true},
                 {"tcpserversrc", "Source/Network", false, true},
                 {"srtsrc", "Source/Network", false, true},
                 {"webrtcbin", "Filter/Network/WebRTC", false, true},
                 {"x264enc", "Codec/Encoder/Video", false, true},
                 {"mp4mux", "Codec/Muxer", false, true},
                 {"splitmuxsink", "Generic/Bin/Muxer", false, true},
                 {"playbin", "Generic/Bin/Player", false, true},
                 {"camerabin", "Generic/Bin/Camera", false, true},
                 {"queue2", "Generic", false, true},
                 {"rtspsrc", "Source/Network", false, false},
                 {"v4l2src", "Source/Video", false, false},
                 {"nvarguscamerasrc", "Video/Capture", false, false},
                 {"nvvidconv", "Filter/Converter/Video/Scaler", false, false},
                 {"rtph264depay", "Codec/Depayloader/Network/RTP", false, false},
                 {"h264parse", "Codec/Parser/Converter/Video", false, false},
                 {"avdec_h264", "Codec/Decoder/Video", false, false},
                 {"decodebin", "Generic/Bin/Decoder", false, false},
                 {"queue", "Generic", false, false},
                 {"fakesink", "Sink", true, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (!pov_gstreamer_refusal(cases[i].element, cases[i].klass, cases[i].is_sink) == cases[i].refused)
            fail_msg("%s", cases[i].element);
}

static void a_command_lines_camera_is_told_from_libcameras(void **state)
{
    static const struct {
        const char *words;
        bool is_one;
        pov_gstreamer_kind kind;
    } cases[] = {{"/dev/video2", true, POV_GSTREAMER_V4L2},
                 {"rtsp://cam/x", true, POV_GSTREAMER_RTSP},
                 {"nvarguscamerasrc ! nvvidconv", true, POV_GSTREAMER_PIPELINE},
                 {"rtspsrc location=rtsp://cam/x ! decodebin", true, POV_GSTREAMER_PIPELINE},
                 {"any", false, 0},
                 {"/base/soc/i2c0mux/i2c@1/imx219@10", false, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_gstreamer_source_config config = {.to_s = 0};
        assert_int_equal(pov_gstreamer_words(&config, cases[i].words), cases[i].is_one);
        assert_int_equal(config.kind, cases[i].kind);
        assert_string_equal(config.text, cases[i].is_one ? cases[i].words : "");
    }
}

static void films_are_known_by_how_they_begin(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        bool is_film;
    } cases[] = {{"\0\0\0\x20"
                  "ftypisom",
                  12, true},
                 {"\x1a\x45\xdf\xa3 matroska", 13, true},
                 {"OggS\0\2", 6, true},
                 {"RIFF....AVI LIST", 16, true},
                 {"RIFF....WAVEfmt ", 16, false},
                 {"\x89PNG\r\n\x1a\n", 8, false},
                 {"\xff\xd8\xff\xe0", 4, false},
                 {"\x89MCAP0\r\n", 8, false},
                 {"G", 1, false},
                 {"", 0, false}};
    const test_path folder = test_folder_new();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const test_path file = test_file_new(&folder, "file", cases[i].bytes, cases[i].len);
        assert_int_equal(pov_film_is_one(file.path), cases[i].is_film);
    }
    assert_false(pov_film_is_one("/"));
    assert_false(pov_film_is_one("/nowhere"));
    test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_url_is_taken_apart),
        cmocka_unit_test(what_is_no_stream_url_is_refused_without_being_shown),
        cmocka_unit_test(credentials_are_taken_out_of_any_text),
        cmocka_unit_test(elements_that_write_or_listen_are_refused_and_cameras_are_not),
        cmocka_unit_test(a_command_lines_camera_is_told_from_libcameras),
        cmocka_unit_test(films_are_known_by_how_they_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
