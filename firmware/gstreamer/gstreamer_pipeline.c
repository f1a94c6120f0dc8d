#include "firmware/gstreamer/gstreamer_pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of elements that are set up after their text was read. */
#define SOURCE "pov_source"
#define WISH   "pov_wish"
#define ENDING "videoconvert ! capsfilter name=" WISH " ! appsink name=" POV_GSTREAMER_IMAGES " max-buffers=2"

/* Above this, USB 2 carries raw images at a few a second only: JPEG is asked for. */
enum { RAW_PIXELS_MAX = 640 * 480, DEFAULT_WIDTH_MAX_PX = 1280, DEFAULT_HEIGHT_MAX_PX = 720 };

/* TCP: neither firewalls nor lost packets matter. The buffer against jitter, which TCP needs little of, delays no image. */
static const char *const beginnings[] = {
    [POV_GSTREAMER_PIPELINE] = "",
    [POV_GSTREAMER_V4L2] = "v4l2src name=" SOURCE " ! capsfilter name=pov_mode ! decodebin ! ",
    [POV_GSTREAMER_RTSP] =
        "rtspsrc name=" SOURCE " protocols=tcp latency=100 ! application/x-rtp,media=video ! decodebin ! ",
    [POV_GSTREAMER_FILM] = "filesrc name=" SOURCE " ! decodebin expose-all-streams=false "
                           "caps=video/x-raw(ANY) ! videoflip video-direction=auto ! "};

pov_status pov_gstreamer_start(void)
{
    GError *error = NULL;
    if (gst_is_initialized())
        return pov_ok();
    if (!gst_init_check(NULL, NULL, &error)) {
        const pov_status status = pov_error("GStreamer does not start: %s", error ? error->message : "");
        g_clear_error(&error);
        return status;
    }
    if (getenv("POV_DEBUG") && !getenv("GST_DEBUG"))
        gst_debug_set_default_threshold(GST_LEVEL_WARNING);
    return pov_ok();
}

bool pov_gstreamer_has(const char *element)
{
    GstElementFactory *factory =
        pov_gstreamer_start().code == POV_OK ? gst_element_factory_find(element) : NULL;
    const bool has = factory != NULL;
    g_clear_object(&factory);
    return has;
}

static pov_status with_hidden(pov_status status)
{
    (void)pov_credentials_hide(status.message, strlen(status.message));
    return status;
}

static pov_status say_missing(const char *element)
{
    return pov_error("GStreamer has no element '%s' here: sudo apt-get install %s", element,
                     pov_gstreamer_package(element));
}

/* ---- what a pipeline may hold ---- */

/* POV_GSTREAMER_ALLOW="filesink udpsrc": it is not the station file that says so. */
static bool is_allowed(const char *element)
{
    const char *allowed = getenv("POV_GSTREAMER_ALLOW");
    const size_t len = strlen(element);
    for (const char *c = allowed ? allowed : ""; *c; c += strcspn(c, ", ")) {
        c += strspn(c, ", ");
        if (strcspn(c, ", ") == len && strncmp(c, element, len) == 0)
            return true;
    }
    return false;
}

/* Libraries, programs and files to write are named by a property that is a path; only a source has use for one. */
static const char *find_path(GObject *element, bool is_source)
{
    static const char *const schemes[] = {"file://", "http://", "https://", "rtsp"};
    guint count = 0;
    const char *found = NULL;
    GParamSpec **properties = g_object_class_list_properties(G_OBJECT_GET_CLASS(element), &count);
    for (guint i = 0; i < count && !found; i++) {
        gchar *value = NULL;
        if (properties[i]->value_type != G_TYPE_STRING || strcmp(properties[i]->name, "name") == 0 ||
            (properties[i]->flags & G_PARAM_READWRITE) != G_PARAM_READWRITE)
            continue;
        g_object_get(element, properties[i]->name, &value, NULL);
        bool is_harmless = !value || !strchr(value, '/') || (is_source && !strstr(value, "://"));
        for (size_t k = 0; is_source && !is_harmless && k < sizeof schemes / sizeof *schemes; k++)
            is_harmless = strncmp(value, schemes[k], strlen(schemes[k])) == 0;
        if (!is_harmless)
            found = properties[i]->name;
        g_free(value);
    }
    g_free(properties);
    return found;
}

static bool names_source(const char *element, const char *klass)
{
    return strstr(klass, "Source") || strstr(klass, "Capture") || strncmp(element, "uridecodebin", 12) == 0;
}

static pov_status check_element(GstElement *element)
{
    GstElementFactory *factory = gst_element_get_factory(element);
    const char *name = factory ? gst_plugin_feature_get_name(GST_PLUGIN_FEATURE(factory)) : "?";
    const char *klass = factory ? gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS) : "";
    const char *refusal =
        pov_gstreamer_refusal(name, klass, GST_OBJECT_FLAG_IS_SET(element, GST_ELEMENT_FLAG_SINK));
    if (is_allowed(name))
        return pov_ok();
    if (refusal)
        return pov_error("a station's pipeline may not hold '%s': %s. If you mean it, say so outside the "
                         "station file: POV_GSTREAMER_ALLOW=%s (docs/SECURITY.md)",
                         name, refusal, name);
    const char *property = find_path(G_OBJECT(element), names_source(name, klass));
    return property ? pov_error("a station's pipeline may not give '%s' a path or an address like this, as "
                                "its %s. If you mean it, say so outside the station file: "
                                "POV_GSTREAMER_ALLOW=%s (docs/SECURITY.md)",
                                name, property, name)
                    : pov_ok();
}

static pov_status check_elements(GstBin *bin)
{
    GstIterator *elements = gst_bin_iterate_recurse(bin);
    GValue item = G_VALUE_INIT;
    pov_status status = pov_ok();
    while (status.code == POV_OK && gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
        status = check_element(GST_ELEMENT(g_value_get_object(&item)));
        g_value_reset(&item);
    }
    g_value_unset(&item);
    gst_iterator_free(elements);
    return status;
}

/* ---- its text ---- */

static pov_status say_parse_failure(GstParseContext *context, GError *error)
{
    gchar **missing = error && error->code == GST_PARSE_ERROR_NO_SUCH_ELEMENT
                          ? gst_parse_context_get_missing_elements(context)
                          : NULL;
    pov_status status = missing ? say_missing(missing[0])
                                : pov_error("pipeline: %s", error ? error->message : "cannot be read");
    g_strfreev(missing);
    g_clear_error(&error);
    return with_hidden(status);
}

/* bin: read as a part with a way out rather than as a pipeline. */
static pov_status parse(GstElement **parsed, const char *text, bool is_part)
{
    GError *error = NULL;
    GstParseContext *context = gst_parse_context_new();
    pov_status status = pov_ok();
    *parsed = is_part ? gst_parse_bin_from_description_full(text, TRUE, context, GST_PARSE_FLAG_FATAL_ERRORS,
                                                            &error)
                      : gst_parse_launch_full(text, context, GST_PARSE_FLAG_FATAL_ERRORS, &error);
    if (!*parsed || error) {
        if (*parsed)
            gst_object_unref(*parsed);
        *parsed = NULL;
        status = say_parse_failure(context, error);
    } else {
        gst_object_ref_sink(*parsed);
    }
    gst_parse_context_free(context);
    return status;
}

/* Whether images come out of it as they are; else a decoder has to find out. */
static bool gives_images(GstElement *part)
{
    GstPad *out = gst_element_get_static_pad(part, "src");
    GstCaps *offered = out ? gst_pad_query_caps(out, NULL) : NULL, *raw = gst_caps_from_string("video/x-raw");
    const bool gives = offered && !gst_caps_is_any(offered) && gst_caps_can_intersect(offered, raw);
    gst_caps_unref(raw);
    if (offered)
        gst_caps_unref(offered);
    g_clear_object(&out);
    return gives;
}

static void find_source_name(char *id, GstElement *part)
{
    GstIterator *sources = gst_bin_iterate_sources(GST_BIN(part));
    GValue item = G_VALUE_INIT;
    snprintf(id, POV_LIBCAMERA_ID_CAPACITY, "gstreamer");
    if (gst_iterator_next(sources, &item) == GST_ITERATOR_OK) {
        GstElementFactory *factory = gst_element_get_factory(GST_ELEMENT(g_value_get_object(&item)));
        if (factory)
            snprintf(id, POV_LIBCAMERA_ID_CAPACITY, "%s",
                     gst_plugin_feature_get_name(GST_PLUGIN_FEATURE(factory)));
        g_value_unset(&item);
    }
    gst_iterator_free(sources);
}

/* Reads a station's own words by themselves, to see what they hold and give. */
static pov_status look_at_words(const char **decoder, char *id, const char *words)
{
    GstElement *part;
    char text[POV_GSTREAMER_TEXT_CAPACITY + 20];
    if (!words[strspn(words, " ")])
        return pov_error("pipeline: it is empty");
    snprintf(text, sizeof text, "%s ! identity", words); /* words may end with the images' format */
    pov_status status = parse(&part, text, true);
    if (status.code != POV_OK && parse(&part, words, true).code != POV_OK)
        return status;
    const pov_status checked = check_elements(GST_BIN(part)); /* a sink is to be called one, too */
    status = checked.code != POV_OK ? checked : status;
    *decoder = gives_images(part) ? "" : "decodebin ! ";
    find_source_name(id, part);
    gst_object_unref(part);
    return status;
}

/* ---- what it is set to ---- */

static void set_caps(GstElement *pipeline, const char *filter, const char *text)
{
    GstElement *element = gst_bin_get_by_name(GST_BIN(pipeline), filter);
    GstCaps *caps = gst_caps_from_string(text);
    POV_REQUIRE(element && caps);
    g_object_set(element, "caps", caps, NULL);
    gst_caps_unref(caps);
    gst_object_unref(element);
}

/* The size that the station's calibration is for comes first; whatever else the camera has is better than nothing. */
static void prefer_size(GstElement *pipeline, const pov_gstreamer_source_config *config)
{
    char text[400], size[100] = "";
    const bool is_given = config->width_px > 0 && config->height_px > 0;
    if (is_given)
        snprintf(size, sizeof size, ",width=%d,height=%d", config->width_px, config->height_px);
    snprintf(text, sizeof text, "video/x-raw,format=RGB%s%s", size,
             is_given ? "; video/x-raw,format=RGB" : "");
    set_caps(pipeline, WISH, text);
    if (config->kind != POV_GSTREAMER_V4L2)
        return;
    if (!is_given)
        snprintf(size, sizeof size, ",width=[1,%d],height=[1,%d]", DEFAULT_WIDTH_MAX_PX,
                 DEFAULT_HEIGHT_MAX_PX);
    const bool is_small = is_given && config->width_px * config->height_px <= RAW_PIXELS_MAX;
    const char *first = is_small ? "video/x-raw" : "image/jpeg",
               *second = is_small ? "image/jpeg" : "video/x-raw";
    snprintf(text, sizeof text, "%s%s; %s%s; image/jpeg; video/x-raw", first, size, second, size);
    set_caps(pipeline, "pov_mode", text);
}

static pov_status set_source(GstElement *pipeline, char *id, const pov_gstreamer_source_config *config)
{
    GstElement *source = gst_bin_get_by_name(GST_BIN(pipeline), SOURCE);
    const char *slash = strrchr(config->text, '/');
    pov_stream_url url;
    pov_status status = pov_ok();
    snprintf(id, POV_LIBCAMERA_ID_CAPACITY, "%.*s", POV_LIBCAMERA_ID_CAPACITY - 1,
             config->kind == POV_GSTREAMER_FILM && slash ? slash + 1 : config->text);
    if (config->kind == POV_GSTREAMER_RTSP) {
        status = pov_stream_url_read(&url, config->text);
        if (status.code == POV_OK) {
            snprintf(id, POV_LIBCAMERA_ID_CAPACITY, "%s", url.shown);
            g_object_set(source, "location", url.location, NULL);
            if (*url.user)
                g_object_set(source, "user-id", url.user, "user-pw", url.password, NULL);
        }
    } else {
        g_object_set(source, config->kind == POV_GSTREAMER_V4L2 ? "device" : "location", config->text, NULL);
    }
    gst_object_unref(source);
    return status;
}

static bool is_same_server(const char *a, const char *b)
{
    const char *host = strstr(a, "://");
    const size_t len = host ? (size_t)(host - a) + 3 + strcspn(host + 3, "/?") : strlen(a);
    return strncasecmp(a, b, len) == 0 && strchr("/?", b[len]);
}

/* rtspsrc follows a redirection, which its location then tells, and would answer the new server's 401 with the password. */
static gboolean keep_password(GstElement *source, gpointer request, gpointer asked)
{
    gchar *location = NULL;
    (void)request;
    g_object_get(source, "location", &location, NULL);
    if (location && !is_same_server(asked, location)) {
        g_object_set(source, "user-id", NULL, "user-pw", NULL, NULL);
        GST_ELEMENT_ERROR(source, RESOURCE, NOT_AUTHORIZED,
                          ("it sends on to %s, another server, which does not get its password. If you trust "
                           "that one, name it in the station file",
                           location),
                          (NULL));
    }
    g_free(location);
    return TRUE;
}

/* souphttpsrc gives it away likewise, and tells nobody before: it follows no redirection then. */
static void keep_passwords(GstBin *pipeline, const char *factory, bool tells_before)
{
    GstIterator *elements = gst_bin_iterate_all_by_element_factory_name(pipeline, factory);
    GValue item = G_VALUE_INIT;
    while (gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
        gchar *location = NULL, *user = NULL;
        GstElement *source = g_value_get_object(&item);
        g_object_get(source, "location", &location, "user-id", &user, NULL);
        if (user && !tells_before)
            g_object_set(source, "automatic-redirect", FALSE, NULL);
        else if (user && location)
            g_signal_connect_data(source, "before-send", G_CALLBACK(keep_password), g_strdup(location),
                                  (GClosureNotify)(void (*)(void))g_free, 0);
        g_free(location);
        g_free(user);
        g_value_reset(&item);
    }
    g_value_unset(&item);
    gst_iterator_free(elements);
}

pov_status pov_gstreamer_pipeline_new(GstElement **pipeline, char id[POV_LIBCAMERA_ID_CAPACITY],
                                      const pov_gstreamer_source_config *config)
{
    char text[POV_GSTREAMER_TEXT_CAPACITY + 300];
    const bool is_own = config->kind == POV_GSTREAMER_PIPELINE;
    const char *decoder = "";
    *pipeline = NULL;
    POV_TRY(pov_gstreamer_start());
    if (is_own)
        POV_TRY(look_at_words(&decoder, id, config->text));
    snprintf(text, sizeof text, "%s%s%s" ENDING, is_own ? config->text : beginnings[config->kind],
             is_own ? " ! " : "", decoder);
    POV_TRY(parse(pipeline, text, false));
    prefer_size(*pipeline, config);
    const pov_status status = is_own ? pov_ok() : set_source(*pipeline, id, config);
    if (status.code == POV_OK) {
        keep_passwords(GST_BIN(*pipeline), "rtspsrc", true);
        keep_passwords(GST_BIN(*pipeline), "souphttpsrc", false);
    } else {
        gst_clear_object(pipeline);
    }
    return status;
}

/* ---- what it says ---- */

bool pov_gstreamer_missing(char *missing, size_t capacity, GstMessage *message)
{
    const GstStructure *told = gst_message_get_structure(message);
    if (!told || !gst_structure_has_name(told, "missing-plugin"))
        return false;
    const char *name = gst_structure_get_string(told, "name");
    snprintf(missing, capacity, "%s", name ? name : "a decoder");
    return true;
}

static bool says_gone(const GError *error)
{
    return error->domain == GST_RESOURCE_ERROR &&
           (error->code == GST_RESOURCE_ERROR_NOT_FOUND || error->code == GST_RESOURCE_ERROR_OPEN_READ ||
            error->code == GST_RESOURCE_ERROR_OPEN_READ_WRITE || error->code == GST_RESOURCE_ERROR_READ);
}

pov_status pov_gstreamer_failure(bool *is_gone, GstMessage *message, const char *missing)
{
    GError *error = NULL;
    gchar *debug = NULL;
    gst_message_parse_error(message, &error, &debug);
    GstElement *element =
        GST_IS_ELEMENT(GST_MESSAGE_SRC(message)) ? GST_ELEMENT(GST_MESSAGE_SRC(message)) : NULL;
    GstElementFactory *factory = element ? gst_element_get_factory(element) : NULL;
    const char *line = debug ? strrchr(debug, '\n') : NULL;
    *is_gone = says_gone(error);
    pov_status status =
        *missing ? pov_error("GStreamer has no %s here: sudo apt-get install gstreamer1.0-libav, or "
                             "gstreamer1.0-plugins-bad",
                             missing)
                 : pov_error("%s: %s%s%.200s%s",
                             factory ? gst_plugin_feature_get_name(GST_PLUGIN_FEATURE(factory)) : "pipeline",
                             error->message, line ? " (" : "", line ? line + 1 : "", line ? ")" : "");
    g_clear_error(&error);
    g_free(debug);
    return with_hidden(status);
}
