"""How the cost of a station's stages grows with entities, with tags and with pixels: a table and a plot."""
import math
import re
import subprocess

import cv2

ENTITIES, TAGS, WIDTHS_PX = [1, 3, 10, 20, 50], [1, 4, 10, 20, 40], [730, 1280, 2560, 4620]
IMAGES, RATE_HZ = 30, 30
COLOURS = {"tags": "#c04020", "finding": "#2060b0", "tracking": "#208040", "relations": "#8040a0", "who sees what": "#a07010", "searching on": "#707070", "all": "#202020"}


def stages_ms(pov, station):
    """Of an image: the share of each stage of the mean time."""
    said = subprocess.run([pov, "run", station, "--rate", str(RATE_HZ), "--count", str(IMAGES), "--no-publish", "--loop"],
                          capture_output=True, text=True, check=True)
    assert "is left out" not in said.stderr, said.stderr  # all that is asked for is judged
    each = float(re.search(r"each ([\d.]+) ms", said.stderr)[1])
    shares = re.search(r"of each image's time: (.*)", said.stderr)[1]
    times = {name: int(share) for name, share in re.findall(r"([a-z ]+?) (\d+) %", shares.replace(", ", ","))}
    before = sum(times.values()) - times["searching on"] - times["writing"]  # the judgments are sent
    return {"all": each} | {name: each * times[name] / before for name in COLOURS if name in times}


def with_entities(balls, count):
    """Boxes on the table, surveyed, about the turntable. One relation: a message has room for no more of fifty."""
    cast = "".join(f"  - {{id: e{i}, class: box, found_by: survey, position_m: [{0.6 * math.cos(i / count * 6.28):.3f}, "
                   f"{0.6 * math.sin(i / count * 6.28):.3f}, 0.02], size_m: [0.03, 0.03, 0.04], front_deg: {i * 7}}}\n" for i in range(count))
    station = balls.parent / f"entities_{count}.yaml"
    station.write_text("camera: {source: folder, folder: {path: jpeg}, calibration: camera.yaml}\ntags: {map: tags.yaml}\n"
                       "judge: {relations: [left_of], axes: [sight_line]}\ncast:\n" + cast)
    return station


def with_tags(pov, folder, objects, count):
    lying = "".join(f"    - {{id: {i}, position_m: [{-0.55 + 0.15 * (i // 8):.3f}, {-0.6 + 0.17 * (i % 8):.3f}]}}\n" for i in range(count))
    world, drawn = folder / f"tags_{count}.yaml", folder / f"tags_{count}"
    world.write_text("about: bench\n" + objects.CAMERA.split("  lying:")[0] + "  lying:\n" + lying +
                     "things:\n  - {id: far, class: pen, position_m: [-0.85, 0.85], size_m: 0.05}\n")
    if not drawn.is_dir():
        objects.run(pov, "sim", world, "--out", drawn, "--images", 1, "--quiet", "--bodies", "own")
    station = drawn / "many.yaml"
    station.write_text("camera: {source: folder, folder: {path: images}, calibration: camera.yaml}\ntags: {map: tags.yaml}\n"
                       "cast:\n  - {id: far, class: pen, found_by: survey, position_m: [-0.85, 0.85, 0]}\n")
    return station


def with_pixels(balls, width_px):
    """The balls' images and camera, scaled; every pixel's outer corners stay where they were."""
    scale, folder = width_px / 1280, balls.parent.parent / f"{balls.parent.name}_{width_px}_px"
    (folder / "jpeg").mkdir(parents=True, exist_ok=True)
    height_px = round(720 * scale)
    for path in sorted((balls.parent / "jpeg").glob("*.jpg"))[:12]:
        image = cv2.resize(cv2.imread(str(path)), (width_px, height_px), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
        cv2.imwrite(str(folder / "jpeg" / path.name), image, [cv2.IMWRITE_JPEG_QUALITY, 95])
    camera = (balls.parent / "camera.yaml").read_text()
    f, cx, cy = (float(re.search(r"(?s)camera_matrix:.*?data: \[(.*?)\]", camera)[1].split(",")[i]) for i in (0, 2, 5))
    camera = re.sub(r"image_width: \d+", f"image_width: {width_px}", re.sub(r"image_height: \d+", f"image_height: {height_px}", camera))
    matrix = [f * scale, 0, (cx + 0.5) * scale - 0.5, 0, f * scale, (cy + 0.5) * scale - 0.5, 0, 0, 1]
    (folder / "camera.yaml").write_text(re.sub(r"(?s)(camera_matrix:.*?data: )\[.*?\]", rf"\g<1>{matrix}", camera))
    for name in ["tags.yaml", "turntable.yaml", "whole.yaml"]:
        (folder / name).write_text((balls.parent / name).read_text())
    return folder / "whole.yaml"


def panel(left, title, points):
    """Logarithmic axes; a straight dashed line is of a cost that grows as the work does."""
    xs, top = [x for x, _ in points], max(times["all"] for _, times in points) * 2
    low = 0.02
    at = lambda x, y: (left + 40 + 210 * math.log(x / xs[0]) / math.log(xs[-1] / xs[0]), 250 - 210 * math.log(max(y, low) / low) / math.log(top / low))
    lines = [f'<text x="{left + 40}" y="20">milliseconds an image, by {title}</text><rect x="{left + 40}" y="40" width="210" height="210" fill="none" stroke="#999"/>']
    for y in [0.1, 1, 10, 100, 1000]:
        if y < top:
            lines.append(f'<text x="{left + 34}" y="{at(xs[0], y)[1]:.0f}" text-anchor="end">{y:g}</text>')
    for x in xs:
        lines.append(f'<text x="{at(x, 1)[0]:.0f}" y="266" text-anchor="middle">{x:g}</text>')
    first = points[0][1]["all"]
    ends = [at(xs[0], first), at(xs[-1], min(top, first * xs[-1] / xs[0]))]
    if first * xs[-1] / xs[0] > top:
        ends[1] = at(xs[0] * top / first, top)
    lines.append('<polyline stroke-dasharray="4" stroke="#999" points="' + " ".join(f"{x:.0f},{y:.0f}" for x, y in ends) + '"/>')
    for name, colour in COLOURS.items():
        path = " ".join("{:.1f},{:.1f}".format(*at(x, times.get(name, 0))) for x, times in points)
        lines.append(f'<polyline stroke="{colour}" stroke-width="{2 if name == "all" else 1.2}" points="{path}"/>')
    return "\n".join(lines)


def draw(path, panels):
    legend = "".join(f'<text x="{40 + 130 * i}" y="300" fill="{colour}">{name}</text>' for i, (name, colour) in enumerate(COLOURS.items()))
    path.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="860" height="320" font-family="sans-serif" font-size="11">'
                    '<style>polyline{fill:none}</style><rect width="860" height="320" fill="white"/>'
                    + "\n".join(panel(280 * i, title, points) for i, (title, points) in enumerate(panels)) + legend + "</svg>\n")


def growth(points):
    """How often more the last costs than the first, against how much more work it is."""
    work = points[-1][0] / points[0][0]
    for name in COLOURS:
        first, last = points[0][1].get(name, 0), points[-1][1].get(name, 0)
        if last > 1 and first < 0.5:
            print(f"    {name}: less than 0.5 ms -> {last:.1f} ms for {work:.0f} x the work", flush=True)
        elif last > 1:
            print(f"    {name}: {first:.1f} -> {last:.1f} ms; {last / first:.1f} x for {work:.0f} x the work", flush=True)


def run(pov, folder, balls, objects):
    panels = []
    for title, works in [("entities", [(n, with_entities(balls, n)) for n in ENTITIES]),
                         ("tags", [(n, with_tags(pov, folder, objects, n)) for n in TAGS]),
                         ("megapixels", [(round(w * w * 9 / 16 / 1e6, 2), with_pixels(balls, w)) for w in WIDTHS_PX])]:
        points = [(work, stages_ms(pov, station)) for work, station in works]
        print(f"  {title}")
        for work, times in points:
            print(f"    {work:g}: " + ", ".join(f"{name} {ms:.1f}" for name, ms in times.items()) + " ms", flush=True)
        growth(points)
        panels.append((title, points))
    draw(folder / "scaling.svg", panels)
    print(f"  {folder / 'scaling.svg'}")
