/* Works without GStreamer: the parts of gstreamer_source.h that need no library. */
#include "firmware/gstreamer/gstreamer_source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

bool pov_gstreamer_words(pov_gstreamer_source_config *config, const char *words)
{
    const bool is_device = strncmp(words, "/dev/", 5) == 0, is_stream = strncmp(words, "rtsp", 4) == 0;
    if ((!is_device && !is_stream && !strchr(words, '!')) || strlen(words) >= sizeof config->text)
        return false;
    config->kind = is_device            ? POV_GSTREAMER_V4L2
                   : strchr(words, '!') ? POV_GSTREAMER_PIPELINE
                                        : POV_GSTREAMER_RTSP;
    snprintf(config->text, sizeof config->text, "%s", words);
    return true;
}

/* ---- films ---- */

typedef struct {
    int offset;
    size_t len;
    const char *bytes;
} file_mark;

bool pov_film_is_one(const char *path)
{
    static const file_mark marks[] = {
        {4, 4, "ftyp"}, {4, 4, "moov"}, {4, 4, "mdat"}, {4, 4, "wide"}, {0, 4, "\x1a\x45\xdf\xa3"},
        {0, 4, "OggS"}, {8, 4, "AVI "}, {0, 4, "FLV\1"}};
    char start[189];
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    const size_t len = file ? fread(start, 1, sizeof start, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (len >= (size_t)marks[i].offset + marks[i].len &&
            memcmp(start + marks[i].offset, marks[i].bytes, marks[i].len) == 0)
            return true;
    return len == sizeof start && start[0] == 'G' && start[188] == 'G'; /* packets of a transport stream */
}

/* ---- credentials ---- */

static bool ends_authority(char c)
{
    return c == '\0' || c == '/' || c == '?' || c == '#' || c == '"' || c == '\'' ||
           isspace((unsigned char)c);
}

/* The end of user and password: the last '@' of the part after "://". NULL: there are none. */
static const char *find_at(const char *authority, const char *end)
{
    const char *at = NULL;
    for (const char *c = authority; c < end && !ends_authority(*c); c++)
        if (*c == '@')
            at = c;
    return at;
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

/* The end of a secret property's value: the quote that it begins with (within a YAML string after a backslash), or a space. */
static const char *find_value_end(const char *value, const char *end)
{
    const char *c = value;
    while (c < end && *c == '\\')
        c++;
    const ptrdiff_t depth = c - value;
    const char quote = c < end && is_quote(*c) ? *c++ : '\0';
    for (ptrdiff_t backslashes = 0; c < end; c++) {
        if (quote ? *c == quote && backslashes <= depth : isspace((unsigned char)*c) || is_quote(*c))
            return c + (quote != '\0');
        backslashes = *c == '\\' ? backslashes + 1 : 0;
    }
    return end;
}

/* The end of the secret that begins at `c`; NULL: none does. *kept: the length before it, which stays. */
static const char *find_secret(size_t *kept, const char *c, const char *end)
{
    static const char *const names[] = {"user-pw",    "user-id",  "proxy-pw",   "proxy-id",
                                        "passphrase", "password", "credentials"};
    const size_t left = (size_t)(end - c);
    if (left > 3 && memcmp(c, "://", 3) == 0) {
        *kept = 3;
        return find_at(c + 3, end);
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        size_t len = strlen(names[i]);
        if (left <= len || memcmp(c, names[i], len) != 0)
            continue;
        while (len < left && c[len] == ' ')
            len++;
        if (len >= left || c[len] != '=')
            return NULL;
        for (len++; len < left && c[len] == ' ';)
            len++;
        *kept = len;
        return len < left ? find_value_end(c + len, end) : NULL;
    }
    return NULL;
}

size_t pov_credentials_hide(char *text, size_t length)
{
    const char *end = text + length;
    char *to = text;
    for (const char *from = text; from < end;) {
        size_t kept = 0;
        const char *after = find_secret(&kept, from, end);
        if (!after) {
            *to++ = *from++;
            continue;
        }
        memmove(to, from, kept);
        to += kept;
        const size_t stars = (size_t)(after - from) - kept < 3 ? (size_t)(after - from) - kept : 3;
        memset(to, '*', stars);
        to += stars;
        from = after;
    }
    if (to < end)
        *to = '\0';
    return (size_t)(to - text);
}

static void undo_percents(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned value = 0;
        if (*from == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]) &&
            sscanf(from + 1, "%2x", &value) == 1 && value > 0) {
            *to = (char)value;
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* "user:password". False: too long. */
static bool read_credentials(pov_stream_url *url, const char *begin, const char *end)
{
    const char *colon = memchr(begin, ':', (size_t)(end - begin)), *user_end = colon ? colon : end;
    const char *password = colon ? colon + 1 : end;
    if (user_end - begin >= (ptrdiff_t)sizeof url->user || end - password >= (ptrdiff_t)sizeof url->password)
        return false;
    memcpy(url->user, begin, (size_t)(user_end - begin));
    memcpy(url->password, password, (size_t)(end - password));
    undo_percents(url->user);
    undo_percents(url->password);
    return true;
}

pov_status pov_stream_url_read(pov_stream_url *url, const char *text)
{
    const char *end = text + strlen(text);
    const size_t scheme = strncmp(text, "rtsp://", 7) == 0 ? 7 : strncmp(text, "rtsps://", 8) == 0 ? 8 : 0;
    *url = (pov_stream_url){.user = ""};
    if (scheme == 0 || end - text >= POV_GSTREAMER_TEXT_CAPACITY)
        return pov_error("a stream's address begins with rtsp:// or rtsps://, as rtsp://192.168.1.20/stream");
    const char *authority = text + scheme, *at = find_at(authority, end), *host = at ? at + 1 : authority;
    if (at && !read_credentials(url, authority, at))
        return pov_error("a stream's user or password is longer than 255 characters");
    if (ends_authority(*host) || *host == ':')
        return pov_error("a stream's address needs a host: rtsp://192.168.1.20/stream");
    memcpy(url->location, text, scheme);
    memcpy(url->location + scheme, host, (size_t)(end - host) + 1);
    snprintf(url->shown, sizeof url->shown, "%.*s", (int)strcspn(url->location, "?#"), url->location);
    return pov_ok();
}

/* ---- elements ---- */

const char *pov_gstreamer_package(const char *element)
{
    static const struct {
        const char *beginning, *package;
    } packages[] = {{"nv", "nvidia-l4t-gstreamer (a Jetson's own)"},
                    {"libcamerasrc", "gstreamer1.0-libcamera"},
                    {"avdec_", "gstreamer1.0-libav"},
                    {"x264enc", "gstreamer1.0-plugins-ugly"},
                    {"pipewiresrc", "gstreamer1.0-pipewire"},
                    {"gl", "gstreamer1.0-gl"},
                    {"videotestsrc", "gstreamer1.0-plugins-base"},
                    {"videoconvert", "gstreamer1.0-plugins-base"},
                    {"videoscale", "gstreamer1.0-plugins-base"},
                    {"videorate", "gstreamer1.0-plugins-base"},
                    {"decodebin", "gstreamer1.0-plugins-base"},
                    {"uridecodebin", "gstreamer1.0-plugins-base"},
                    {"appsink", "gstreamer1.0-plugins-base"},
                    {"theora", "gstreamer1.0-plugins-base"},
                    {"ogg", "gstreamer1.0-plugins-base"},
                    {"v4l2", "gstreamer1.0-plugins-good"},
                    {"rt", "gstreamer1.0-plugins-good"},
                    {"jpeg", "gstreamer1.0-plugins-good"},
                    {"video", "gstreamer1.0-plugins-good"},
                    {"souphttpsrc", "gstreamer1.0-plugins-good"},
                    {"qt", "gstreamer1.0-plugins-good"},
                    {"matroska", "gstreamer1.0-plugins-good"},
                    {"h264parse", "gstreamer1.0-plugins-bad"},
                    {"h265parse", "gstreamer1.0-plugins-bad"},
                    {"openh264", "gstreamer1.0-plugins-bad"}};
    for (size_t i = 0; i < COUNT_OF(packages); i++)
        if (strncmp(element, packages[i].beginning, strlen(packages[i].beginning)) == 0)
            return packages[i].package;
    return "gstreamer1.0-plugins-good, -bad or -ugly";
}

/* One word of "Source/Video". */
static bool has_word(const char *klass, const char *word)
{
    const size_t len = strlen(word);
    for (const char *c = klass; c; c = strchr(c, '/') ? strchr(c, '/') + 1 : NULL)
        if (strncmp(c, word, len) == 0 && (c[len] == '/' || c[len] == '\0'))
            return true;
    return false;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

const char *pov_gstreamer_refusal(const char *element, const char *klass, bool is_sink)
{
    static const char *const clients[] = {"rtspsrc", "souphttpsrc", "tcpclientsrc", "rtpjitterbuffer"};
    static const char *const decoders[] = {"bin",           "decodebin", "decodebin3",  "uridecodebin",
                                           "uridecodebin3", "parsebin",  "urisourcebin"};
    static const char *const keepers[] = {"queue2", "downloadbuffer"};
    static const char *const browsers[] = {"wpesrc", "wpevideosrc", "cefsrc"};
    if (strcmp(element, "fakesink") == 0)
        return NULL;
    if (is_sink || has_word(klass, "Sink"))
        return "it sends or shows images elsewhere";
    if (has_word(klass, "Encoder") || has_word(klass, "Muxer"))
        return "it may write files";
    if (is_one_of(element, keepers, COUNT_OF(keepers)))
        return "it may write files; 'queue' does not";
    if (is_one_of(element, browsers, COUNT_OF(browsers)))
        return "it runs programs of web pages";
    if (has_word(klass, "Network") && !has_word(klass, "Depayloader") &&
        !is_one_of(element, clients, COUNT_OF(clients)))
        return "it may listen on the network";
    if (has_word(klass, "Bin") && !is_one_of(element, decoders, COUNT_OF(decoders)))
        return "it builds pipelines of its own";
    return NULL;
}
