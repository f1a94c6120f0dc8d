#include "perception/people/opencv_people_shim.h"

#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

struct pov_people_search {
    cv::HOGDescriptor bodies;
    cv::CascadeClassifier faces, profiles;
};

namespace
{
template <typename Body> pov_status guarded(Body body) noexcept
{
    try {
        return body();
    } catch (const std::exception &problem) {
        return pov_error("OpenCV: %s", problem.what());
    } catch (...) {
        return pov_error("OpenCV: unknown exception");
    }
}

cv::Mat mat(const pov_grey &image)
{
    return cv::Mat(image.height_px, image.width_px, CV_8UC1, const_cast<uint8_t *>(image.pixels),
                   static_cast<size_t>(image.stride_bytes));
}

pov_status load(cv::CascadeClassifier &cascade, const std::string &path)
{
    return cascade.load(path) ? pov_ok() : pov_error("%s: not a cascade that OpenCV reads", path.c_str());
}

void put(pov_people_window *windows, int *len, const cv::Rect &r, double score, int capacity)
{
    if (*len < capacity)
        windows[(*len)++] = {r.x, r.y, r.width, r.height, score};
}

pov_status find(cv::CascadeClassifier &cascade, pov_people_window *windows, int *len,
                const pov_people_look &look, int capacity)
{
    return guarded([&] {
        std::vector<cv::Rect> found;
        cascade.detectMultiScale(mat(*look.image), found, look.step, look.neighbours, 0,
                                 cv::Size(look.least_px, look.least_px),
                                 cv::Size(look.most_px, look.most_px));
        for (const cv::Rect &r : found)
            put(windows, len, r, 1, capacity);
        return pov_ok();
    });
}
} // namespace

pov_status pov_people_search_new(pov_people_search **search, const char *folder)
{
    *search = nullptr;
    const pov_status status = guarded([&] {
        *search = new pov_people_search;
        (*search)->bodies.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
        if (!folder)
            return pov_ok();
        POV_TRY(load((*search)->faces, std::string(folder) + "/haarcascade_frontalface_alt2.xml"));
        return load((*search)->profiles, std::string(folder) + "/haarcascade_profileface.xml");
    });
    if (status.code != POV_OK)
        pov_people_search_destroy(search);
    return status;
}

void pov_people_search_destroy(pov_people_search **search)
{
    delete *search;
    *search = nullptr;
}

pov_status pov_people_find_bodies(pov_people_search *search, pov_people_window *windows, int *len,
                                  const pov_people_look *look, int capacity)
{
    *len = 0;
    return guarded([&] {
        std::vector<cv::Rect> found;
        std::vector<double> scores;
        search->bodies.nlevels = look->levels > 0 ? look->levels : cv::HOGDescriptor::DEFAULT_NLEVELS;
        search->bodies.detectMultiScale(mat(*look->image), found, scores, 0, cv::Size(8, 8), cv::Size(), 1.08,
                                        look->neighbours);
        for (size_t i = 0; i < found.size(); i++)
            put(windows, len, found[i], scores[i], capacity);
        return pov_ok();
    });
}

pov_status pov_people_find_faces(pov_people_search *search, pov_people_window *windows, int *len,
                                 const pov_people_look *look, int capacity)
{
    *len = 0;
    return find(search->faces, windows, len, *look, capacity);
}

pov_status pov_people_find_profiles(pov_people_search *search, pov_people_window *windows, int *len,
                                    const pov_people_look *look, int capacity)
{
    *len = 0;
    return find(search->profiles, windows, len, *look, capacity);
}
