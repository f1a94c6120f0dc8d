/** cairo, and librsvg for draw/print.c. They bring 28 libraries and 6 MB, which a running station does without: they are loaded once
 *  something is printed or a picture gets letters, and then called as if they were linked. */
#pragma once

#include "perception/status.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>

/** Comes before all other calls. Returns: POV_ERROR if the libraries are not installed. */
POV_MUST_USE pov_status pov_cairo_load(void);

/** One of their functions; NULL: there is none of this name. */
void *pov_cairo_function(const char *name);

#define POV_LOADED(name) (__extension__(__typeof__(&name)) pov_cairo_function(#name))

#define cairo_create                        POV_LOADED(cairo_create)
#define cairo_destroy                       POV_LOADED(cairo_destroy)
#define cairo_fill                          POV_LOADED(cairo_fill)
#define cairo_get_scaled_font               POV_LOADED(cairo_get_scaled_font)
#define cairo_get_target                    POV_LOADED(cairo_get_target)
#define cairo_image_surface_create          POV_LOADED(cairo_image_surface_create)
#define cairo_image_surface_get_data        POV_LOADED(cairo_image_surface_get_data)
#define cairo_image_surface_get_stride      POV_LOADED(cairo_image_surface_get_stride)
#define cairo_line_to                       POV_LOADED(cairo_line_to)
#define cairo_move_to                       POV_LOADED(cairo_move_to)
#define cairo_pdf_surface_create_for_stream POV_LOADED(cairo_pdf_surface_create_for_stream)
#define cairo_pdf_surface_set_metadata      POV_LOADED(cairo_pdf_surface_set_metadata)
#define cairo_rectangle                     POV_LOADED(cairo_rectangle)
#define cairo_restore                       POV_LOADED(cairo_restore)
#define cairo_rotate                        POV_LOADED(cairo_rotate)
#define cairo_save                          POV_LOADED(cairo_save)
#define cairo_scale                         POV_LOADED(cairo_scale)
#define cairo_scaled_font_get_type          POV_LOADED(cairo_scaled_font_get_type)
#define cairo_select_font_face              POV_LOADED(cairo_select_font_face)
#define cairo_set_dash                      POV_LOADED(cairo_set_dash)
#define cairo_set_font_size                 POV_LOADED(cairo_set_font_size)
#define cairo_set_line_width                POV_LOADED(cairo_set_line_width)
#define cairo_set_source_rgb                POV_LOADED(cairo_set_source_rgb)
#define cairo_show_page                     POV_LOADED(cairo_show_page)
#define cairo_show_text                     POV_LOADED(cairo_show_text)
#define cairo_status                        POV_LOADED(cairo_status)
#define cairo_status_to_string              POV_LOADED(cairo_status_to_string)
#define cairo_stroke                        POV_LOADED(cairo_stroke)
#define cairo_surface_destroy               POV_LOADED(cairo_surface_destroy)
#define cairo_surface_finish                POV_LOADED(cairo_surface_finish)
#define cairo_surface_flush                 POV_LOADED(cairo_surface_flush)
#define cairo_surface_status                POV_LOADED(cairo_surface_status)
#define cairo_svg_surface_create_for_stream POV_LOADED(cairo_svg_surface_create_for_stream)
#define cairo_text_extents                  POV_LOADED(cairo_text_extents)
#define cairo_translate                     POV_LOADED(cairo_translate)
