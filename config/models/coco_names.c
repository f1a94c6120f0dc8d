#include "config/models/model_guess.h"

#include <stddef.h>

/* Lin 2014; the order of cocodataset.org, in which most detectors are trained. */
static const char *const names[] = {"person",        "bicycle",      "car",
                                    "motorcycle",    "airplane",     "bus",
                                    "train",         "truck",        "boat",
                                    "traffic light", "fire hydrant", "stop sign",
                                    "parking meter", "bench",        "bird",
                                    "cat",           "dog",          "horse",
                                    "sheep",         "cow",          "elephant",
                                    "bear",          "zebra",        "giraffe",
                                    "backpack",      "umbrella",     "handbag",
                                    "tie",           "suitcase",     "frisbee",
                                    "skis",          "snowboard",    "sports ball",
                                    "kite",          "baseball bat", "baseball glove",
                                    "skateboard",    "surfboard",    "tennis racket",
                                    "bottle",        "wine glass",   "cup",
                                    "fork",          "knife",        "spoon",
                                    "bowl",          "banana",       "apple",
                                    "sandwich",      "orange",       "broccoli",
                                    "carrot",        "hot dog",      "pizza",
                                    "donut",         "cake",         "chair",
                                    "couch",         "potted plant", "bed",
                                    "dining table",  "toilet",       "tv",
                                    "laptop",        "mouse",        "remote",
                                    "keyboard",      "cell phone",   "microwave",
                                    "oven",          "toaster",      "sink",
                                    "refrigerator",  "book",         "clock",
                                    "vase",          "scissors",     "teddy bear",
                                    "hair drier",    "toothbrush"};

const char *pov_coco_name(int i)
{
    return i >= 0 && i < (int)(sizeof names / sizeof *names) ? names[i] : NULL;
}

const char *pov_coco_slot_name(int slot)
{
    static const int unnamed[] = {0, 12, 26, 29, 30, 45, 66, 68, 69, 71, 83};
    int before = 0;
    for (size_t i = 0; i < sizeof unnamed / sizeof *unnamed; i++) {
        if (unnamed[i] == slot)
            return "-";
        before += unnamed[i] < slot;
    }
    const char *name = pov_coco_name(slot - before);
    return name ? name : "-";
}
