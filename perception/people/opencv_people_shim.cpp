#include "perception/people/opencv_people_shim.h"

#include <opencv2/objdetect.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

struct pov_people_search {
    cv::HOGDescriptor bodies;
    cv::CascadeClassifier faces, profiles;
    int face_min_px;
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

pov_status find(cv::CascadeClassifier &cascade, int min_px, pov_people_window *windows, int *len,
                const pov_grey &image, int capacity)
{
    return guarded([&] {
        std::vector<cv::Rect> found;
        cascade.detectMultiScale(mat(image), found, 1.08, 4, 0, cv::Size(min_px, min_px));
        for (const cv::Rect &r : found)
            put(windows, len, r, 1, capacity);
        return pov_ok();
    });
}
} // namespace

pov_status pov_people_search_new(pov_people_search **search, const char *folder, int face_min_px)
{
    *search = nullptr;
    const pov_status status = guarded([&] {
        *search = new pov_people_search;
        (*search)->face_min_px = face_min_px;
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
                                  const pov_grey *image, int capacity)
{
    *len = 0;
    return guarded([&] {
        std::vector<cv::Rect> found;
        std::vector<double> scores;
        search->bodies.detectMultiScale(mat(*image), found, scores, 0, cv::Size(8, 8), cv::Size(), 1.08, 2);
        for (size_t i = 0; i < found.size(); i++)
            put(windows, len, found[i], scores[i], capacity);
        return pov_ok();
    });
}

pov_status pov_people_find_faces(pov_people_search *search, pov_people_window *windows, int *len,
                                 const pov_grey *image, int capacity)
{
    *len = 0;
    return find(search->faces, search->face_min_px, windows, len, *image, capacity);
}

pov_status pov_people_find_profiles(pov_people_search *search, pov_people_window *windows, int *len,
                                    const pov_grey *image, int capacity)
{
    *len = 0;
    return find(search->profiles, search->face_min_px, windows, len, *image, capacity);
}
