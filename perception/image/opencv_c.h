/** OpenCV's C interface, usable from C11: include this instead of OpenCV's own headers.
 *
 *  OpenCV 4's cvdef.h refuses C, yet core_c.h and imgproc_c.h need little of it. Defining its include guard keeps it
 *  out; what the C headers use of it follows here. OpenCV's include path must be a SYSTEM one. */
#pragma once

#ifndef __cplusplus

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define OPENCV_CORE_CVDEF_H
#include <opencv2/core/hal/interface.h>

#ifndef CV_PI
#define CV_PI 3.1415926535897932384626433832795
#endif
#define CV_EXTERN_C
#define CV_CDECL
#define CV_STDCALL
#ifndef CV_MAX_DIM
#define CV_MAX_DIM 32
#endif
#define CV_INLINE static inline
#define CV_EXPORTS
#define CV_DECL_ALIGNED(x) __attribute__((aligned(x)))
#define CV_DbgAssert(expr) ((void)0)

#define CV_MAT_CN_MASK         ((CV_CN_MAX - 1) << CV_CN_SHIFT)
#define CV_MAT_CN(flags)       ((((flags)&CV_MAT_CN_MASK) >> CV_CN_SHIFT) + 1)
#define CV_MAT_TYPE_MASK       (CV_DEPTH_MAX * CV_CN_MAX - 1)
#define CV_MAT_TYPE(flags)     ((flags)&CV_MAT_TYPE_MASK)
#define CV_MAT_CONT_FLAG_SHIFT 14
#define CV_MAT_CONT_FLAG       (1 << CV_MAT_CONT_FLAG_SHIFT)
#define CV_IS_MAT_CONT(flags)  ((flags)&CV_MAT_CONT_FLAG)
#define CV_IS_CONT_MAT         CV_IS_MAT_CONT
#define CV_ELEM_SIZE1(type)    ((0x28442211 >> CV_MAT_DEPTH(type) * 4) & 15)
#define CV_ELEM_SIZE(type)     (CV_MAT_CN(type) * CV_ELEM_SIZE1(type))

static inline int cvRound(double value)
{
    return (int)lrint(value);
}
static inline int cvFloor(double value)
{
    return (int)floor(value);
}
static inline int cvCeil(double value)
{
    return (int)ceil(value);
}

#endif

#include <opencv2/core/core_c.h>
#include <opencv2/imgproc/imgproc_c.h>
