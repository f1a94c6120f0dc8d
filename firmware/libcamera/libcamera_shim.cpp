#include "firmware/libcamera/libcamera_shim.h"

#include <libcamera/libcamera.h>
#include <libcamera/version.h>

#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

/* libcamera 0.5 split AeEnable into a mode for the exposure and one for the gain. */
#define POV_LIBCAMERA_HAS_AE_MODES (LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 5)

namespace
{
struct Slot {
    std::unique_ptr<libcamera::Request> request;
    libcamera::FrameBuffer *buffer = nullptr;
    std::vector<std::pair<void *, size_t>> maps;
    pov_libcamera_capture capture = {};
    std::atomic<int> returns{
        0}; /* libcamera gives the request back, the reader the buffer: at two it may go again */
};

/* Runs `body`; what libcamera or the standard library throws becomes a status. */
template <typename Body> pov_status guarded(Body body) noexcept
{
    try {
        return body();
    } catch (const std::exception &problem) {
        return pov_error("libcamera: %s", problem.what());
    } catch (...) {
        return pov_error("libcamera: unknown exception");
    }
}

const libcamera::ControlInfo *find_control(const libcamera::Camera &camera,
                                           const libcamera::ControlId &wanted)
{
    for (const auto &[id, info] : camera.controls())
        if (id->id() == wanted.id())
            return &info;
    return nullptr;
}

template <typename T>
pov_libcamera_range control_range(const libcamera::Camera &camera, const libcamera::Control<T> &control,
                                  double unit)
{
    const libcamera::ControlInfo *info = find_control(camera, control);
    if (!info || info->max().isNone())
        return {0, 0};
    return {info->min().get<T>() * unit, info->max().get<T>() * unit};
}

const char *location_name(int location)
{
    switch (location) {
    case libcamera::properties::CameraLocationFront:
        return "front";
    case libcamera::properties::CameraLocationBack:
        return "back";
    case libcamera::properties::CameraLocationExternal:
        return "external";
    default:
        return "";
    }
}

void describe_modes(pov_libcamera_camera *description, const libcamera::StreamFormats &formats)
{
    for (const libcamera::PixelFormat &format : formats.pixelformats()) {
        for (const libcamera::Size &size : formats.sizes(format)) {
            if (description->mode_len == POV_LIBCAMERA_MODES_MAX) {
                description->mode_left_out++;
                continue;
            }
            pov_libcamera_mode *mode = &description->modes[description->mode_len++];
            std::snprintf(mode->pixel_format, sizeof mode->pixel_format, "%s", format.toString().c_str());
            mode->width_px = static_cast<int>(size.width);
            mode->height_px = static_cast<int>(size.height);
        }
    }
}

void describe(pov_libcamera_camera *description, libcamera::Camera &camera)
{
    namespace controls = libcamera::controls;
    namespace properties = libcamera::properties;
    *description = {};
    std::snprintf(description->id, sizeof description->id, "%s", camera.id().c_str());
    const auto model = camera.properties().get(properties::Model);
    std::snprintf(description->model, sizeof description->model, "%s", model ? model->c_str() : "");
    const auto location = camera.properties().get(properties::Location);
    std::snprintf(description->location, sizeof description->location, "%s",
                  location_name(location.value_or(-1)));
    description->exposure_s = control_range(camera, controls::ExposureTime, 1e-6);
    description->gain = control_range(camera, controls::AnalogueGain, 1);
    const auto config = camera.generateConfiguration({libcamera::StreamRole::Viewfinder});
    if (config && !config->empty())
        describe_modes(description, config->at(0).formats());
}

void set_automatic(libcamera::ControlList *list, const libcamera::Camera &camera,
                   const pov_libcamera_settings &settings)
{
    namespace controls = libcamera::controls;
#if POV_LIBCAMERA_HAS_AE_MODES
    if (find_control(camera, controls::ExposureTimeMode) &&
        find_control(camera, controls::AnalogueGainMode)) {
        list->set(controls::ExposureTimeMode, settings.exposure_s > 0
                                                  ? static_cast<int32_t>(controls::ExposureTimeModeManual)
                                                  : static_cast<int32_t>(controls::ExposureTimeModeAuto));
        list->set(controls::AnalogueGainMode, settings.gain > 0
                                                  ? static_cast<int32_t>(controls::AnalogueGainModeManual)
                                                  : static_cast<int32_t>(controls::AnalogueGainModeAuto));
        return;
    }
#endif
    if (find_control(camera, controls::AeEnable))
        list->set(controls::AeEnable, !(settings.exposure_s > 0));
}

pov_status check_control(const char *name, const char *unit, double wanted, pov_libcamera_range range,
                         const libcamera::Camera &camera)
{
    if (!(wanted > 0) || (wanted >= range.min && wanted <= range.max && range.max > 0))
        return pov_ok();
    if (!(range.max > 0))
        return pov_error(
            "camera %s cannot fix its %s: libcamera offers no such control for it; leave it automatic",
            camera.id().c_str(), name);
    return pov_error("camera %s: %s %g%s is outside what it can do, %g to %g%s", camera.id().c_str(), name,
                     wanted, unit, range.min, range.max, unit);
}

/* Fills `list` with what `settings` ask for. A camera left by another program in manual mode goes back to
 * automatic. */
pov_status set_controls(libcamera::ControlList *list, const libcamera::Camera &camera,
                        const pov_libcamera_settings &settings)
{
    namespace controls = libcamera::controls;
    POV_TRY(check_control("exposure", " s", settings.exposure_s,
                          control_range(camera, controls::ExposureTime, 1e-6), camera));
    POV_TRY(
        check_control("gain", "", settings.gain, control_range(camera, controls::AnalogueGain, 1), camera));
    set_automatic(list, camera, settings);
    if (settings.exposure_s > 0)
        list->set(controls::ExposureTime, static_cast<int32_t>(std::lround(settings.exposure_s * 1e6)));
    if (settings.gain > 0)
        list->set(controls::AnalogueGain, static_cast<float>(settings.gain));
    return pov_ok();
}

/* If the driver gives no range, V4L2's rule holds: YCbCr is BT.601, limited range. */
pov_libcamera_stream describe_stream(const libcamera::StreamConfiguration &config)
{
    pov_libcamera_stream stream = {};
    std::snprintf(stream.mode.pixel_format, sizeof stream.mode.pixel_format, "%s",
                  config.pixelFormat.toString().c_str());
    stream.mode.width_px = static_cast<int>(config.size.width);
    stream.mode.height_px = static_cast<int>(config.size.height);
    stream.stride_bytes = static_cast<int>(config.stride);
    if (config.colorSpace) {
        stream.full_range = config.colorSpace->range == libcamera::ColorSpace::Range::Full;
        if (config.colorSpace->ycbcrEncoding == libcamera::ColorSpace::YcbcrEncoding::Rec709)
            stream.encoding = POV_YCBCR_BT709;
    }
    return stream;
}

bool is_mode(const pov_libcamera_stream &stream, const pov_libcamera_mode &mode)
{
    return stream.mode.width_px == mode.width_px && stream.mode.height_px == mode.height_px &&
           std::strcmp(stream.mode.pixel_format, mode.pixel_format) == 0;
}
} // namespace

struct pov_libcamera {
    pov_libcamera_events events;
    std::unique_ptr<libcamera::CameraManager> manager;
    std::shared_ptr<libcamera::Camera> camera;
    std::unique_ptr<libcamera::FrameBufferAllocator> allocator;
    std::vector<std::unique_ptr<Slot>> slots;
    int64_t fixed_exposure_ns = 0;
    std::atomic<int> in_flight{0};
    std::atomic<bool> unplugged{false};

    pov_status open(pov_libcamera_stream *stream, const char *id, const pov_libcamera_settings &settings);
    void close();
    void give_back(Slot &slot);

  private:
    pov_status configure(pov_libcamera_stream *stream, libcamera::CameraConfiguration &config,
                         const pov_libcamera_settings &settings);
    pov_status add_slot(libcamera::Stream *stream, libcamera::FrameBuffer &buffer);
    pov_status start(const pov_libcamera_settings &settings);
    void queue(libcamera::Request *request);
    void wait_for_driver();
    void on_buffer_completed(libcamera::Request *request, libcamera::FrameBuffer *buffer);
    void on_request_completed(libcamera::Request *request);
    void on_unplugged();
};

/* Requests complete in the order they were queued, buffers as they are filled. The two differ after an image
 * that was damaged on USB: uvcvideo puts its buffer back at the end, and the request holds up all later ones.
 * So images are reported by buffer. */
void pov_libcamera::on_buffer_completed(libcamera::Request *request, libcamera::FrameBuffer *buffer)
{
    const libcamera::FrameMetadata &metadata = buffer->metadata();
    if (metadata.status == libcamera::FrameMetadata::FrameCancelled)
        return;
    Slot &slot = *slots[request->cookie()];
    pov_libcamera_capture *capture = &slot.capture;
    capture->usable = metadata.status == libcamera::FrameMetadata::FrameSuccess;
    capture->sequence = metadata.sequence;
    capture->timestamp_ns = static_cast<int64_t>(metadata.timestamp);
    const auto exposure_us = request->metadata().get(libcamera::controls::ExposureTime);
    capture->exposure_ns = exposure_us ? int64_t{*exposure_us} * 1000 : fixed_exposure_ns;
    for (int i = 0; i < capture->plane_len; i++)
        capture->planes[i].len = metadata.planes()[i].bytesused;
    events.completed(events.context, capture);
}

void pov_libcamera::on_request_completed(libcamera::Request *request)
{
    if (request->status() != libcamera::Request::RequestCancelled)
        give_back(*slots[request->cookie()]);
    in_flight--; /* last: close() frees the slots when none is in flight */
}

void pov_libcamera::on_unplugged()
{
    unplugged = true;
    events.unplugged(events.context);
}

void pov_libcamera::queue(libcamera::Request *request)
{
    in_flight++;
    if (camera->queueRequest(request) < 0)
        in_flight--;
}

void pov_libcamera::give_back(Slot &slot)
{
    if (++slot.returns < 2)
        return;
    slot.returns = 0;
    slot.request->reuse(libcamera::Request::ReuseBuffers);
    queue(slot.request.get());
}

pov_status pov_libcamera::add_slot(libcamera::Stream *stream, libcamera::FrameBuffer &buffer)
{
    slots.push_back(std::make_unique<Slot>());
    Slot &slot = *slots.back();
    slot.buffer = &buffer;
    slot.capture.slot = static_cast<int>(slots.size()) - 1;
    for (const libcamera::FrameBuffer::Plane &plane : buffer.planes()) {
        if (slot.capture.plane_len == POV_LIBCAMERA_PLANES_MAX)
            return pov_error("camera %s delivers more planes than expected", camera->id().c_str());
        const size_t len = size_t{plane.offset} + plane.length;
        void *map = mmap(nullptr, len, PROT_READ, MAP_SHARED, plane.fd.get(), 0);
        if (map == MAP_FAILED)
            return pov_error("camera %s: cannot map a buffer: %s", camera->id().c_str(),
                             std::strerror(errno));
        slot.maps.emplace_back(map, len);
        slot.capture.planes[slot.capture.plane_len++].data = static_cast<const uint8_t *>(map) + plane.offset;
    }
    slot.request = camera->createRequest(slots.size() - 1);
    if (!slot.request || slot.request->addBuffer(stream, &buffer) < 0)
        return pov_error("camera %s: libcamera makes no capture request", camera->id().c_str());
    return pov_ok();
}

pov_status pov_libcamera::configure(pov_libcamera_stream *stream, libcamera::CameraConfiguration &config,
                                    const pov_libcamera_settings &settings)
{
    libcamera::StreamConfiguration &wanted = config.at(0);
    wanted.pixelFormat = libcamera::PixelFormat::fromString(settings.mode.pixel_format);
    wanted.size = {static_cast<unsigned>(settings.mode.width_px),
                   static_cast<unsigned>(settings.mode.height_px)};
    wanted.bufferCount = static_cast<unsigned>(settings.buffer_count);
    if (config.validate() == libcamera::CameraConfiguration::Invalid)
        return pov_error("camera %s: libcamera refuses every configuration", camera->id().c_str());
    *stream = describe_stream(config.at(0));
    if (!is_mode(*stream, settings.mode))
        return pov_error("camera %s does not offer %dx%d %s; nearest is %dx%d %s; 'pov cameras' lists all",
                         camera->id().c_str(), settings.mode.width_px, settings.mode.height_px,
                         settings.mode.pixel_format, stream->mode.width_px, stream->mode.height_px,
                         stream->mode.pixel_format);
    if (const int failure = camera->configure(&config); failure < 0)
        return pov_error("camera %s: cannot configure it: %s", camera->id().c_str(), std::strerror(-failure));
    *stream = describe_stream(config.at(0));
    return pov_ok();
}

/* Some pipelines take controls at the start, others (uvcvideo) only with a request: give them both. */
pov_status pov_libcamera::start(const pov_libcamera_settings &settings)
{
    libcamera::ControlList controls(camera->controls());
    POV_TRY(set_controls(&controls, *camera, settings));
    fixed_exposure_ns = settings.exposure_s > 0 ? static_cast<int64_t>(settings.exposure_s * 1e9) : 0;
    camera->bufferCompleted.connect(this, &pov_libcamera::on_buffer_completed);
    camera->requestCompleted.connect(this, &pov_libcamera::on_request_completed);
    camera->disconnected.connect(this, &pov_libcamera::on_unplugged);
    if (const int failure = camera->start(&controls); failure < 0)
        return pov_error("camera %s: cannot start it: %s", camera->id().c_str(), std::strerror(-failure));
    slots.front()->request->controls() = controls;
    for (const auto &slot : slots)
        queue(slot->request.get());
    return pov_ok();
}

pov_status pov_libcamera::open(pov_libcamera_stream *stream, const char *id,
                               const pov_libcamera_settings &settings)
{
    camera = manager->get(id);
    if (!camera)
        return pov_error("camera %s is not there", id);
    unplugged = false;
    if (const int failure = camera->acquire(); failure < 0) {
        camera.reset();
        return pov_error("camera %s: %s; does another program use it?", id, std::strerror(-failure));
    }
    const auto config = camera->generateConfiguration({libcamera::StreamRole::Viewfinder});
    if (!config || config->empty())
        return pov_error("camera %s: libcamera offers no stream", id);
    POV_TRY(configure(stream, *config, settings));
    allocator = std::make_unique<libcamera::FrameBufferAllocator>(camera);
    libcamera::Stream *source = config->at(0).stream();
    if (allocator->allocate(source) < 0)
        return pov_error("camera %s: cannot allocate buffers", id);
    for (const auto &buffer : allocator->buffers(source))
        POV_TRY(add_slot(source, *buffer));
    return start(settings);
}

/* stop() does nothing for a camera that was unplugged, yet its buffers still come back, with errors, on
 * libcamera's thread. Wait for them: requests must not be freed under it. */
void pov_libcamera::wait_for_driver()
{
    for (int i = 0; i < 500 && in_flight > 0; i++)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void pov_libcamera::close()
{
    if (!camera)
        return;
    camera->stop();
    wait_for_driver();
    if (!unplugged) { /* else the signal may still be in delivery; the slots end with the camera */
        camera->bufferCompleted.disconnect(this);
        camera->requestCompleted.disconnect(this);
        camera->disconnected.disconnect(this);
    }
    for (const auto &slot : slots) {
        for (const auto &[map, len] : slot->maps)
            munmap(map, len);
        if (in_flight > 0) /* never came back: leave it rather than free what libcamera may still touch */
            (void)slot->request.release();
    }
    if (in_flight > 0)
        (void)allocator.release();
    in_flight = 0;
    slots.clear();
    allocator.reset();
    camera->release();
    camera.reset();
}

extern "C" {

pov_status pov_libcamera_new(pov_libcamera **library, const pov_libcamera_events *events, bool chatty)
{
    *library = nullptr;
    return guarded([&] {
        if (!chatty) /* but what makes libcamera abort is still to be read */
            setenv("LIBCAMERA_LOG_LEVELS", "*:FATAL", 0);
        auto made = std::make_unique<pov_libcamera>();
        made->events = *events;
        made->manager = std::make_unique<libcamera::CameraManager>();
        if (const int failure = made->manager->start(); failure < 0)
            return pov_error("libcamera does not start: %s", std::strerror(-failure));
        *library = made.release();
        return pov_ok();
    });
}

void pov_libcamera_destroy(pov_libcamera **library)
{
    if (!library || !*library)
        return;
    const pov_status ignored = guarded([&] {
        (*library)->close();
        (*library)->manager->stop();
        return pov_ok();
    });
    (void)ignored;
    delete *library;
    *library = nullptr;
}

const char *pov_libcamera_version(void)
{
    return libcamera::CameraManager::version().c_str();
}

pov_status pov_libcamera_list_cameras(pov_libcamera *library, pov_libcamera_list *list)
{
    list->len = list->left_out = 0;
    return guarded([&] {
        for (const auto &camera : library->manager->cameras()) {
            if (list->len < POV_LIBCAMERA_CAMERAS_MAX)
                describe(&list->cameras[list->len++], *camera);
            else
                list->left_out++;
        }
        return pov_ok();
    });
}

pov_status pov_libcamera_open(pov_libcamera *library, pov_libcamera_stream *stream, const char *id,
                              const pov_libcamera_settings *settings)
{
    *stream = {};
    POV_REQUIRE(!library->camera);
    pov_status status = guarded([&] { return library->open(stream, id, *settings); });
    if (status.code != POV_OK)
        pov_libcamera_close(library);
    return status;
}

void pov_libcamera_close(pov_libcamera *library)
{
    const pov_status ignored = guarded([&] {
        library->close();
        return pov_ok();
    });
    (void)ignored;
}

static void sync_caches(pov_libcamera *library, int slot, uint64_t edge)
{
    for (const auto &plane : library->slots[slot]->buffer->planes()) {
        dma_buf_sync sync = {edge | DMA_BUF_SYNC_READ};
        ioctl(plane.fd.get(), DMA_BUF_IOCTL_SYNC, &sync); /* not a dma-buf: nothing to do */
    }
}

void pov_libcamera_read_begin(pov_libcamera *library, int slot)
{
    sync_caches(library, slot, DMA_BUF_SYNC_START);
}

void pov_libcamera_read_end(pov_libcamera *library, int slot)
{
    sync_caches(library, slot, DMA_BUF_SYNC_END);
}

void pov_libcamera_requeue(pov_libcamera *library, int slot)
{
    const pov_status ignored = guarded([&] {
        library->give_back(*library->slots[slot]);
        return pov_ok();
    });
    (void)ignored;
}
}
