#include "sim/bodies/furniture_package.h"

#include <errno.h>
#include <minizip/unzip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** A body's place in the package. */
typedef struct {
    pov_furniture body;
    const char *path; /* archive/file within it */
} package_piece;

#define CC_0       "CC0 1.0 (https://creativecommons.org/publicdomain/zero/1.0/)"
#define CC_BY      "CC BY 3.0 (https://creativecommons.org/licenses/by/3.0/)"
#define CC_BY_US   "CC BY 3.0 US (https://creativecommons.org/licenses/by/3.0/us/)"
#define SCOPIA     "eTeks and Scopia Visual Interfaces Systems, s.l. (http://www.scopia.es), " CC_BY
#define KATOR      "Andrew Kator and Jennifer Legaz, " CC_BY_US
#define REALLUSION "Reallusion (http://www.reallusion.com), " CC_BY_US

/* class, size, eye, title, maker and licence, archive and file */
#define PIECES(X)                                                                                            \
    X("basketball", 0.238, 0.238, 0.238, 0, 0, 0, "Basketball", "SEspider, Blend Swap, " CC_0,               \
      "BlendSwap-CC-0/blendswap-cc-0/basketball/basketball.obj")                                             \
    X("bed", 2.165, 1.705, 1.108, 0, 0, 0, "Bed", SCOPIA, "Scopia/scopia/bed1/bed1.obj")                     \
    X("bench", 0.6, 1.423, 0.729, 0, 0, 0, "Concrete bench", KATOR,                                          \
      "KatorLegaz/katorlegaz/concrete-bench/concrete-bench.obj")                                             \
    X("bicycle", 1.492, 0.46, 0.843, 0, 0, 0, "Bicycle", SCOPIA, "Scopia/scopia/bicycle/bicycle.obj")        \
    X("bottle", 0.078, 0.078, 0.3, 0, 0, 0, "Wine bottle", SCOPIA,                                           \
      "Scopia/scopia/wine_bottle/wine_bottle.obj")                                                           \
    X("bowl", 0.401, 0.401, 0.204, 0, 0, 0, "Bowl", SCOPIA, "Scopia/scopia/bowl/bowl.obj")                   \
    X("box", 0.625, 0.815, 0.437, 0, 0, 0, "Open cardboard box", SCOPIA,                                     \
      "Scopia/scopia/open-cardboard-box/open-cardboard-box.obj")                                             \
    X("bus", 14.043, 2.795, 3.667, 0, 0, 0, "Bus", SCOPIA, "Scopia/scopia/bus/bus.obj")                      \
    X("car", 4.711, 1.911, 1.55, 0, 0, 0, "Concept Sedan 01", KATOR,                                         \
      "KatorLegaz/katorlegaz/concept-sedan-01v1/concept-sedan-01v1.obj")                                     \
    X("cat", 0.813, 0.133, 0.421, 0.394, 0, 0.131, "Siamese cat", "Gwinna, Blend Swap, " CC_BY,              \
      "BlendSwap-CC-BY/blendswap-cc-by/siameseCat/siameseCat.obj")                                           \
    X("chair", 0.442, 0.484, 0.884, 0, 0, 0, "Chair", SCOPIA, "Scopia/scopia/chair4/chair4.obj")             \
    X("child", 0.315, 0.41, 1.561, 0.103, 0.009, 0.62, "Girl", REALLUSION,                                   \
      "Reallusion/reallusion/girlStanding/girlStanding.obj")                                                 \
    X("container", 0.657, 0.899, 0.314, 0, 0, 0, "Box", "Ruwo, Blend Swap, " CC_0,                           \
      "BlendSwap-CC-0/blendswap-cc-0/box/box.obj")                                                           \
    X("cup", 0.12, 0.12, 0.068, 0, 0, 0, "Cup", SCOPIA, "Scopia/scopia/cup/cup.obj")                         \
    X("desk", 0.834, 1.892, 0.751, 0, 0, 0, "Desk", "Nmn9, Blend Swap, " CC_BY,                              \
      "BlendSwap-CC-BY/blendswap-cc-by/officeTable/officeTable.obj")                                         \
    X("dog", 0.83, 0.357, 0.75, 0.349, -0.001, 0.326, "Dog", SCOPIA, "Scopia/scopia/dog/dog.obj")            \
    X("horse", 2.292, 0.587, 1.93, 1.039, 0, 0.706, "Horse", "B2przemo, Blend Swap, " CC_BY,                 \
      "BlendSwap-CC-BY/blendswap-cc-by/horse/horse.obj")                                                     \
    X("lamp", 0.305, 0.305, 0.409, 0, 0, 0, "Lamp", "Bulgakov, Blend Swap, " CC_BY,                          \
      "BlendSwap-CC-BY/blendswap-cc-by/lamp/lamp.obj")                                                       \
    X("laptop", 0.253, 0.339, 0.266, 0, 0, 0, "Laptop", "Mayollo, Blend Swap, " CC_BY,                       \
      "BlendSwap-CC-BY/blendswap-cc-by/laptop/laptop.obj")                                                   \
    X("man", 0.391, 0.557, 1.84, 0.06, -0.059, 0.8, "Male", REALLUSION,                                      \
      "Reallusion/reallusion/male03/male03.obj")                                                             \
    X("phone", 0.11, 0.049, 0.013, 0, 0, 0, "Mobile phone", "Songkro, Blend Swap, " CC_BY,                   \
      "BlendSwap-CC-BY/blendswap-cc-by/mobile/mobile.obj")                                                   \
    X("plant", 0.65, 0.59, 0.58, 0, 0, 0, "Plant", SCOPIA, "Scopia/scopia/maceta/maceta.obj")                \
    X("sofa", 0.759, 1.939, 0.8, 0, 0, 0, "Clear sofa", SCOPIA, "Scopia/scopia/clear_sofa/clear_sofa.obj")   \
    X("table", 0.934, 1.443, 0.724, 0, 0, 0, "Table", "Jay-Artist, Blend Swap, " CC_BY,                      \
      "BlendSwap-CC-BY/blendswap-cc-by/table/table.obj")                                                     \
    X("teddy bear", 0.218, 0.331, 0.322, 0, 0, 0, "Teddy bear", "Manitislate, Blend Swap, " CC_0,            \
      "BlendSwap-CC-0/blendswap-cc-0/teddyBear/teddyBear.obj")                                               \
    X("vase", 0.235, 0.235, 0.509, 0, 0, 0, "Vase", SCOPIA, "Scopia/scopia/vase3/vase3.obj")                 \
    X("wardrobe", 0.53, 2.174, 2, 0, 0, 0, "Wardrobe", SCOPIA, "Scopia/scopia/wardrobe1/wardrobe1.obj")      \
    X("woman", 0.493, 0.52, 1.625, 0.104, -0.013, 0.707, "Female", REALLUSION,                               \
      "Reallusion/reallusion/female03/female03.obj")

#define PIECE(class_name, x, y, z, eye_x, eye_y, eye_z, title, maker, path)                                  \
    {{class_name, {x, y, z}, {eye_x, eye_y, eye_z}, "\"" title "\" by " maker}, path},

static const package_piece FURNITURE[] = {PIECES(PIECE)};

enum { FILE_BYTES_MAX = 64 << 20 };

typedef struct {
    unzFile archive;
    char archive_path[400];
    const pov_furniture_options *options;
} opened_package;

static pov_status complain_of_damage(const opened_package *package, const char *path, const char *what)
{
    return pov_error("%.150s: %.150s: %s; reinstall sweethome3d-furniture", package->archive_path, path,
                     what);
}

static pov_status read_current(const opened_package *package, char *bytes, size_t len, const char *path)
{
    if (unzOpenCurrentFile(package->archive) != UNZ_OK)
        return complain_of_damage(package, path, "cannot be unpacked");
    const int read = unzReadCurrentFile(package->archive, bytes, (unsigned)len);
    const int closed = unzCloseCurrentFile(package->archive); /* compares the checksum */
    if (read < 0 || (size_t)read != len || closed != UNZ_OK)
        return complain_of_damage(package, path, "is cut short or altered");
    return pov_ok();
}

static pov_status load_file(void *context, char **bytes, size_t *len, const char *path)
{
    const opened_package *package = context;
    unz_file_info64 info;
    if (unzLocateFile(package->archive, path, 1) != UNZ_OK)
        return complain_of_damage(package, path, "is not in the archive");
    if (unzGetCurrentFileInfo64(package->archive, &info, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK ||
        info.uncompressed_size > FILE_BYTES_MAX)
        return complain_of_damage(package, path, "is too large");
    *len = (size_t)info.uncompressed_size;
    *bytes = calloc(1, *len + 1);
    POV_REQUIRE_MEMORY(*bytes);
    const pov_status status = read_current(package, *bytes, *len, path);
    if (status.code != POV_OK)
        free(*bytes);
    return status;
}

/* The package's models look along +z, with y up and x to the left of one who looks so. */
static const pov_transform OUR_AXES = {.R = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}}};

static pov_status build_body(pov_model *model, opened_package *package, const package_piece *piece)
{
    const pov_obj_source source = {load_file, package, package->options->decode,
                                   package->options->decode_context};
    pov_model *raw;
    raw = pov_model_new();
    const pov_status status = pov_obj_read(raw, &source, strchr(piece->path, '/') + 1);
    if (status.code == POV_OK)
        pov_model_append(model, raw, OUR_AXES);
    pov_model_destroy(&raw);
    return status;
}

static const package_piece *find_body(const char *class_name)
{
    for (size_t i = 0; i < sizeof FURNITURE / sizeof *FURNITURE; i++) {
        if (strcmp(FURNITURE[i].body.class_name, class_name) == 0)
            return &FURNITURE[i];
    }
    return NULL;
}

const pov_furniture *pov_furniture_find(const char *class_name)
{
    const package_piece *piece = find_body(class_name);
    return piece ? &piece->body : NULL;
}

static void archive_path_of(char *path, size_t capacity, const package_piece *piece, const char *folder)
{
    snprintf(path, capacity, "%.300s/%.*s.sh3f", folder, (int)strcspn(piece->path, "/"), piece->path);
}

bool pov_furniture_is_here(const char *class_name, const char *folder)
{
    char path[400];
    const package_piece *piece = find_body(class_name);
    if (!piece)
        return false;
    archive_path_of(path, sizeof path, piece, folder);
    return access(path, F_OK) == 0;
}

static pov_status open_archive(opened_package *package, const package_piece *piece)
{
    archive_path_of(package->archive_path, sizeof package->archive_path, piece, package->options->folder);
    if (access(package->archive_path, R_OK) != 0)
        return pov_error("%s: %s", package->archive_path, strerror(errno));
    package->archive = unzOpen64(package->archive_path);
    return package->archive
               ? pov_ok()
               : pov_error("%s: not a ZIP archive; reinstall sweethome3d-furniture", package->archive_path);
}

pov_status pov_furniture_build(pov_model **model, const char *class_name,
                               const pov_furniture_options *options)
{
    *model = NULL;
    opened_package package = {.options = options};
    const package_piece *piece = find_body(class_name);
    if (!pov_furniture_is_here(class_name, options->folder))
        return pov_status_of(POV_UNDEFINED);
    POV_TRY(open_archive(&package, piece));
    *model = pov_model_new();
    const pov_status status = build_body(*model, &package, piece);
    unzClose(package.archive);
    if (status.code != POV_OK) {
        pov_model_destroy(model);
        return status;
    }
    const bool own_size = options->size_m.x == 0 && options->size_m.y == 0 && options->size_m.z == 0;
    pov_model_fit(*model, own_size ? piece->body.size_m : options->size_m);
    return pov_ok();
}
