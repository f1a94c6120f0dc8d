#!/usr/bin/python3
"""pov report --figures and --pdf: what goes to print is whole, legible and has its fonts; its numbers are numpy's and scipy's."""
import csv
import itertools
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import numpy
import pandas
import scipy.stats

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sweep"))
import sweep_peer

POV = os.environ["POV"]
BEST = {"left": 270, "right": 90, "front": 0, "behind": 180}  # the camera's, reflected
WORDS = {"left": "left", "right": "right", "front": "in front", "behind": "behind"}
PT = 72 / 25.4
LONG = "a-model-with-a-very-long-name-that-nobody-can-remember-13B-instruct-v2.5 (8 bits)"
failures = []


def check(what, holds):
    if not holds:
        failures.append(what)


def run(*arguments):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True)
    check(f"{arguments[:3]}: exit {done.returncode}, {done.stderr[:300]}", done.returncode == 0)
    return done.stdout


def answers(models, languages=("en",), prompts=("nop", "cam", "add", "rel"), variants="abcdef", seed=1):
    source, rows = random.Random(seed), []
    for (model, noise), language, facing in itertools.product(models.items(), languages, ("left", "")):
        for prompt in prompts if facing else ("cam",):
            for variant, (relation, best) in itertools.product(variants, BEST.items()):
                turn = 180 if language == "ha" and relation in ("front", "behind") else 0
                for phi in range(0, 360, 10):
                    p = 0.5 + 0.4 * math.cos(math.radians(phi - best - turn)) + source.gauss(0, noise)
                    rows.append(dict(model=model, language=language, scene="s", variant=variant, prompt=prompt, relation=relation,
                                     phi_deg=phi, p_yes=f"{min(1, max(0, p)):.4f}", relatum_facing=facing, addressee_facing="right"))
    return rows


def write(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def boxes_of(pdf):
    """[(page, x0, y0, x1, y1, word)] and the pages' sizes, in points."""
    pages, words = [], []
    text = run("pdftotext", "-bbox", pdf, "-")
    text = re.sub(r"<(!DOCTYPE|meta)[^>]*>", "", text)
    for page in re.findall(r"<page .*?</page>", text, re.S):
        pages.append(tuple(float(n) for n in re.search(r'width="([\d.]+)" height="([\d.]+)"', page).groups()))
        for found in re.findall(r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>', page):
            words.append((len(pages) - 1, *map(float, found[:4]), found[4]))
    return pages, words


def words_do_not_overlap(name, words, pages, margin):
    """Boxes are as tall as a font, not as its letters: they may touch by a sixth."""
    for page, x0, y0, x1, y1, word in words:
        width, height = pages[page]
        check(f"{name}: {word!r} is cut on page {page + 1}",
              x0 >= margin - 0.5 and y0 >= -0.5 and x1 <= width - margin + 0.5 and y1 <= height + 0.5)
    for page in range(len(pages)):
        mine = sorted(word for word in words if word[0] == page)
        for i, a in enumerate(mine):
            for b in mine[i + 1:]:
                if b[1] >= a[3]:
                    break
                wide, tall = min(a[3], b[3]) - max(a[1], b[1]), min(a[4], b[4]) - max(a[2], b[2])
                if wide > 0.3 and tall > min(a[4] - a[2], b[4] - b[2]) / 6:
                    check(f"{name}: {a[5]!r} overlaps {b[5]!r} on page {page + 1}", False)


def fonts_are_embedded(pdf):
    fonts = run("pdffonts", pdf).splitlines()[2:]
    check(f"{pdf.name}: has fonts", fonts)
    for line in fonts:
        embedded = re.search(r"\s(yes|no) (yes|no) (yes|no)\s+\d+\s+\d+$", line)
        check(f"{pdf.name}: {line} is embedded", embedded and embedded[1] == "yes")


def figures_fit_a_column(folder):
    """85 mm wide, nothing cut or on something else, letters of 8 pt at least (a box is 1.164 times the font: DejaVu)."""
    names = sorted(path.stem for path in folder.glob("*.svg"))
    kinds = {re.match(r"comfort_(figure5_from_above|[a-z]+\d?)", name)[1] for name in names}
    check(f"kinds of figures: {kinds}", kinds >= {"figure5", "figure5_from_above", "figure6", "figure7", "figure8", "perspectives",
                                                  "conventions", "reliability"})
    seen = {}
    for name in names:
        kind = re.sub(r"_(en|ta|ha)_.*", "", name)
        seen[kind] = seen.get(kind, 0) + 1
        for ending in ".pdf", ".csv", ".txt":
            check(f"{name}{ending}", (folder / (name + ending)).stat().st_size > 0)
        if seen[kind] > 1:
            continue  # of each kind and model one
        pages, words = boxes_of(folder / f"{name}.pdf")
        check(f"{name}: {pages}", len(pages) == 1 and abs(pages[0][0] - 85 * PT) < 0.1 and pages[0][1] < 245 * PT)
        flat = [word for word in words if word[3] - word[1] > 0.4 * (word[4] - word[2]) or len(word[5]) < 3]
        words_do_not_overlap(name, flat, pages, 0)
        smallest = min((word[4] - word[2]) / 1.164 for word in flat if len(word[5]) > 2)
        check(f"{name}: letters of {smallest:.2f} pt", smallest >= 8)
        fonts_are_embedded(folder / f"{name}.pdf")
        check(f"{name}.pdf is drawn, not painted", not run("pdfimages", "-list", folder / f"{name}.pdf").splitlines()[2:])
        root = xml.etree.ElementTree.parse(folder / f"{name}.svg").getroot()
        tags = {element.tag.split("}")[1] for element in root.iter()}
        check(f"{name}.svg has outlines for letters: {tags}", "text" not in tags and "image" not in tags and "path" in tags)
        check(f"{name}.svg is {root.get('width')} wide", abs(float(root.get("width").removesuffix("pt")) - 85 * PT) < 0.1)


def stretched(curve):
    return (curve - curve.min()) / (curve.max() - curve.min())


def numbers_are_numpys(folder, rows):
    data = pandas.DataFrame(rows).astype({"p_yes": float})
    for prompt, words in ("cam", "camera_s_viewpoint"), ("nop", "no_viewpoint"):
        group = data[(data.model == "m") & (data.language == "en") & (data.relatum_facing == "left") & (data.prompt == prompt)]
        drawn = pandas.read_csv(folder / f"comfort_figure5_m_en_CAR_{words}.csv")
        polar = pandas.read_csv(folder / f"comfort_figure5_from_above_m_en_CAR_{words}.csv")
        for relation, best in BEST.items():
            curves = numpy.array([g.sort_values("phi_deg").p_yes for _, g in group[group.relation == relation].groupby("variant")])
            panel = drawn[drawn.panel.str.startswith(f"{WORDS[relation]} (")]
            by_phi = lambda series: {round(a + best) % 360: row for a, *row in
                                     panel[panel.series == series][["angle_deg", "value", "low", "high"]].values}
            raw, tall = by_phi("P(yes)"), by_phi("P(yes), stretched to 0..1")
            normal = numpy.array([stretched(curve) for curve in curves])
            source = numpy.random.default_rng(1)
            again = normal[source.integers(0, len(normal), (20000, len(normal)))].mean(axis=1)
            low, high = numpy.percentile(again, [2.5, 97.5], axis=0)
            for i, phi in enumerate(range(0, 360, 10)):
                check(f"P(yes) of {relation} at {phi}", abs(raw[phi][0] - curves[:, i].mean()) < 1e-9)
                check(f"stretched {relation} at {phi}", abs(tall[phi][0] - normal[:, i].mean()) < 1e-9)
                check(f"band of {relation} at {phi}: {tall[phi]}, {low[i]}, {high[i]}",
                      abs(tall[phi][1] - low[i]) < 0.02 and abs(tall[phi][2] - high[i]) < 0.02)
            panel = polar[polar.panel.str.startswith(f"{WORDS[relation]} (")]
            model = panel[panel.series == "P(yes)"]
            check("from above", numpy.allclose(model.value[:36], curves.mean(axis=0)) and list(model.angle_deg[:36]) ==
                  list(range(0, 360, 10)))
            geometry = panel[panel.series == "geometry"].value[:36]
            truth = [abs((phi - best + 180) % 360 - 180) < 90 for phi in range(0, 360, 10)]
            check(f"geometry of {relation}", list(geometry > 0.5) == truth)
        bins = pandas.read_csv(folder / f"comfort_reliability_m_en_CAR_{words}.csv")
        theta = (group.phi_deg - group.relation.map(BEST) + 180) % 360 - 180
        group, theta = group[theta.abs() != 90], theta[theta.abs() != 90]  # geometry cannot tell
        for number, part in group.groupby((group.p_yes * 10).clip(upper=9).astype(int)):
            line, yes = bins.iloc[number], int((theta[part.index].abs() < 90).sum())
            interval = scipy.stats.binomtest(yes, len(part)).proportion_ci(method="wilson")
            check(f"bin {number}", line.n == len(part) and math.isclose(line.share_true, yes / len(part), abs_tol=1e-12) and
                  math.isclose(line.p_mean, part.p_yes.mean()) and abs(line.low - interval.low) < 1e-6 and
                  abs(line.high - interval.high) < 1e-6)


def drawings_are_the_numbers(folder, page):
    """The page's paths, read back: both come from the same numbers."""
    plot = re.search(r"<title>P\(yes\) by the angle[^<]*, m, en, CAR, camera.*?</svg>|<title>P\(yes\) by the angle[^<]*m, en, CAR, "
                     r"camera.*?</svg>", page, re.S)[0]
    drawn = pandas.read_csv(folder / "comfort_figure5_m_en_CAR_camera_s_viewpoint.csv")
    series = drawn[(drawn.series == "P(yes), stretched to 0..1") & drawn.panel.str.startswith("left")]
    points = re.findall(r"[ML]([\d.]+) ([\d.]+)", re.search(r'class="line strong" d="([^"]*)"', plot)[1])
    top = float(re.search(r'class="frame"', plot) and re.search(r'y="([\d.]+)"[^>]*class="frame"', plot)[1])
    for (x, y), (_, row) in zip(points, series.iterrows(), strict=True):
        check("a point of the page", abs(float(x) - (56 + 290 * (row.angle_deg + 180) / 360)) < 0.06 and
              abs(float(y) - (top + 152 * (1.03 - row.value) / 1.06)) < 0.06)


def direction(relation, language):
    """Hausa's axes are translated (docs/LANGUAGES.md), English ones reflected."""
    return BEST[relation] + (180 if language == "ha" and relation in ("front", "behind") else 0)


def measures_by_scene(rows, prompt, has_front):
    """{(model, language): {variant: (accuracy without the edges, eps_cos)}} in the camera's frame by the language's convention: means over a
    scene's four relations."""
    data = pandas.DataFrame(rows).astype({"p_yes": float})
    data = data[(data.prompt == prompt) & (data.relatum_facing == ("left" if has_front else ""))]
    found = {}
    for (model, language, variant, relation), curve in data.groupby(["model", "language", "variant", "relation"]):
        curve = curve.sort_values("phi_deg")
        theta = numpy.radians(curve.phi_deg - direction(relation, language))
        told = abs(numpy.cos(theta)) > 1e-9
        accuracy = numpy.mean((curve.p_yes > 0.5)[told] == (numpy.cos(theta) > 0)[told])
        eps = math.sqrt(numpy.mean((stretched(curve.p_yes) - (numpy.cos(theta) + 1) / 2) ** 2))
        found.setdefault((model, language), {}).setdefault(variant, []).append((accuracy, eps))
    return {key: {variant: numpy.mean(curves, axis=0) for variant, curves in mine.items()} for key, mine in found.items()}


def comparisons_are_scipys(folder, rows):
    ranks, pairs = (pandas.read_csv(folder / f"comfort_{name}.csv", keep_default_na=False,
                                 dtype={"p": str, "p_holm": str}) for name in ("ranks", "pairs"))
    adjusted = 0
    for (set_name, prompt, measure), mine in ranks.groupby(["set", "prompt", "measure"]):
        if prompt not in ("nop", "cam"):
            continue
        truth = measures_by_scene(rows, prompt, set_name == "CAR")
        which = 0 if measure == "accuracy_told" else 1
        keys = [(row.model, row.language) for row in mine.itertuples()]
        units = sorted(truth[keys[0]])
        table = numpy.array([[truth[key][unit][which] for unit in units] for key in keys])
        sign = -1 if measure == "accuracy_told" else 1
        place = lambda means: 1 + (sign * means[..., None, :] < sign * means[..., :, None] - 1e-12).sum(axis=-1)
        again = place(table[:, numpy.random.default_rng(2).integers(0, len(units), (20000, len(units)))].mean(axis=2).T)
        for i, row in enumerate(mine.itertuples()):
            low, high = numpy.percentile(again[:, i], [2.5, 97.5], method="inverted_cdf")
            near = lambda bound, share: min(abs(share - (again[:, i] <= bound).mean()), abs(share - (again[:, i] < bound).mean())) < 0.01
            check(f"{keys[i]} {set_name} {prompt} {measure}: mean {row.mean}", math.isclose(row.mean, table[i].mean(), rel_tol=1e-9))
            check(f"{keys[i]} {set_name} {prompt} {measure}: rank {row.rank}", row.rank == place(table.mean(axis=1))[i])
            check(f"{keys[i]} {set_name} {prompt} {measure}: ranks {row.rank_low} to {row.rank_high}, not {low} to {high}",
                  (row.rank_low == low or near(row.rank_low, 0.025)) and (row.rank_high == high or near(row.rank_high, 0.975)))
        mine = pairs[(pairs.set == set_name) & (pairs.prompt == prompt) & (pairs.measure == measure)]
        check("all pairs", len(mine) == len(keys) * (len(keys) - 1) // 2)
        exact = []
        for row in mine.itertuples():
            a, b = (table[keys.index(key)] for key in ((row.model, row.language), (row.other_model, row.other_language)))
            check("the better first", sign * a.mean() <= sign * b.mean() + 1e-12)
            check("difference", math.isclose(row.difference, (a - b).mean(), rel_tol=1e-9, abs_tol=1e-12))
            test = scipy.stats.permutation_test((a, b), lambda x, y, axis: numpy.mean(x - y, axis=axis), permutation_type="samples",
                                                n_resamples=numpy.inf, vectorized=True)
            exact.append(test.pvalue)
            p = 0.0001 if row.p.startswith("<") else float(row.p)
            check(f"p {row.p} of {row}, not {test.pvalue}", abs(p - test.pvalue) < 0.00011)
        order = numpy.argsort(exact)
        holm = numpy.maximum.accumulate([min(1, (len(exact) - k) * exact[i]) for k, i in enumerate(order)])
        for value, i in zip(holm, order):
            p = mine.iloc[i].p_holm
            check(f"Holm's {p}, not {value}", abs((0.0001 if p.startswith("<") else float(p)) - value) < 0.00011)
            adjusted += 1
    check(f"{adjusted} tests were compared", adjusted > 10)


def tables_are_latex(folder):
    """Without a LaTeX: braces, rules and cells are counted. With one, it is asked."""
    paths = sorted(folder.glob("*.tex"))
    check(f"{len(paths)} tables", {path.name for path in paths} >= {f"comfort_table{n}.tex" for n in (2, 3, 4, 5)})
    for path in paths:
        text = path.read_text(encoding="utf-8")
        plain = re.sub(r"\\[\\{}&%$#_]", lambda found: "\\\\" if found[0] == "\\\\" else "", text)
        check(f"{path.name}: braces", plain.count("{") == plain.count("}"))
        check(f"{path.name}: rules", [plain.count(rule) for rule in ("\\toprule", "\\bottomrule")] == [1, 1] and "\\midrule" in plain)
        columns = len(re.search(r"\\begin\{tabular\}\{([lr]+)\}", plain)[1])
        body = plain[plain.index("\\toprule"):plain.index("\\bottomrule")]
        for row in re.sub(r"\\(toprule|midrule|cmidrule\(lr\)\{\d+-\d+\})", "", body).split("\\\\\n"):
            spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", row)]
            if row.strip():
                check(f"{path.name}: {row.strip()[:60]}", row.count("&") + 1 + sum(spans) - len(spans) == columns)
        check(f"{path.name} is in ASCII", text.isascii())
    if shutil.which("pdflatex"):
        (folder / "all.tex").write_text("\\documentclass{article}\\usepackage{booktabs}\\begin{document}" +
                                        "".join(f"\\input{{{path.name}}}\\clearpage" for path in paths) + "\\end{document}")
        run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"-output-directory={folder}", folder / "all.tex")
    else:
        print("skipped: no pdflatex: LaTeX tables are counted, not compiled")


def forms_have_our_numbers(folder, rows):
    table = pandas.read_csv(folder / "comfort_table2.csv")
    line = table[(table.model == "m") & (table.language == "en") & (table.set == "BALL")].iloc[0]
    data = pandas.DataFrame(rows).astype({"p_yes": float})
    data = data[(data.model == "m") & (data.language == "en") & (data.relatum_facing == "")]
    for relation, key in ("behind", "back"), ("front", "front"), ("left", "left"), ("right", "right"):
        for turn, column in (0 if relation in ("left", "right") else 180, "same"), (180 if relation in ("left", "right") else 0, "rev"):
            eps = [math.sqrt(numpy.mean((stretched(curve.p_yes) - (numpy.cos(numpy.radians(
                curve.phi_deg - BEST[relation] - turn)) + 1) / 2) ** 2)) for _, curve in data[data.relation == relation].groupby("variant")]
            check(f"Table 2, {key} {column}: {line[f'{key}_{column}']}", math.isclose(line[f"{key}_{column}"], numpy.mean(eps), rel_tol=1e-9))
    table = pandas.read_csv(folder / "comfort_table4.csv").set_index(["model", "language"]).loc[("m", "en")]
    score = pandas.read_csv(folder / "comfort_performance.csv", keep_default_na=False)
    score = score[(score.model == "m") & (score.language == "en") & (score.set == "CAR")].set_index("prompt")
    for prompt, key in ("cam", "ego"), ("rel", "int"), ("add", "add"):
        check(f"Table 4, {key}", math.isclose(table[f"{key}_accuracy"], float(score.loc[prompt].accuracy)))
    check("Table 4, change", math.isclose(table.ego_accuracy_change, float(score.loc["cam"].accuracy) - float(score.loc["nop"].accuracy),
                                          abs_tol=1e-12))
    check("Table 4, aggregated", math.isclose(table.all_accuracy, (table.ego_accuracy + table.int_accuracy + table.add_accuracy) / 3))


def the_paper_is_whole(pdf):
    pages, words = boxes_of(pdf)
    check(f"A4: {pages[0]}", all(abs(w - 210 * PT) < 0.5 and abs(h - 297 * PT) < 0.5 for w, h in pages))
    flat = [word for word in words if word[3] - word[1] > 0.4 * (word[4] - word[2]) or len(word[5]) < 3]
    words_do_not_overlap(pdf.name, flat, pages, 16 * PT)
    fonts_are_embedded(pdf)
    text = " ".join(word[5] for word in words)
    for kind in "Table", "Figure":
        numbers = [int(n) for n in re.findall(rf"{kind} (\d+):", text)]
        check(f"{kind}s {numbers}", sorted(numbers) == list(range(1, len(numbers) + 1)) and len(numbers) > 4)
    for words in ("Findings", "Methods", "To cite", "GLaMM", "Zhang et al. 2025, Table 2", "camera's viewpoint", "permutation test",
                  "seed 1", "@inproceedings{zhang2025comfort"):
        check(f"the paper says {words!r}", words in text.replace("&apos;", "'"))
    check("prompts are spelt out", not re.search(r" (nop|rel) ", text))


def a_report_of_several_models(folder):
    models = {"m": 0.12, LONG: 0.2}
    rows = answers(models, ("en", "ha"))
    write(folder / "a.csv", rows)
    command = (POV, "report", folder / "a.csv", "--out", folder / "r.html", "--figures", folder / "f", "--pdf", folder / "r.pdf")
    run(*command)
    first = {path.name: path.read_bytes() for path in (folder / "f").iterdir()} | {"pdf": (folder / "r.pdf").read_bytes()}
    figures_fit_a_column(folder / "f")
    numbers_are_numpys(folder / "f", rows)
    drawings_are_the_numbers(folder / "f", (folder / "r.html").read_text(encoding="utf-8"))
    comparisons_are_scipys(folder / "f", rows)
    forms_have_our_numbers(folder / "f", rows)
    tables_are_latex(folder / "f")
    the_paper_is_whole(folder / "r.pdf")
    run(*command)
    again = {path.name: path.read_bytes() for path in (folder / "f").iterdir()} | {"pdf": (folder / "r.pdf").read_bytes()}
    check(f"the same bytes again, but for {[name for name in first if first[name] != again.get(name)]}", first == again)
    page = (folder / "r.html").read_text(encoding="utf-8")
    check("the page compares", "Models and languages compared" in page and "Paired tests" in page)
    bib = (folder / "f/references.bib").read_text(encoding="utf-8")
    check("references", all(key in bib for key in ("zhang2025comfort", "efron1993", "holm1979", "wilson1927")) and "vsr" not in bib)


def other_papers_are_compared(folder):
    """Questions by id: of 30, the better model has 6 more right. scipy's sign test is this one for answers that are right or wrong."""
    rows = [dict(model=model, id=f"q{i}", task="position", options="left|right", gold="left", answer="left" if right else "right")
            for model, wrong in (("good", {3, 5}), ("bad", {3, 9, 10, 11, 12, 13, 14, 15})) for i in range(30)
            for right in [i not in wrong]]
    write(folder / "s.csv", rows)
    run(POV, "report", folder / "s.csv", "--out", folder / "r.html", "--figures", folder / "g", "--pdf", folder / "r.pdf")
    line, = csv.DictReader(open(folder / "g/sphere_pairs.csv", encoding="utf-8"))
    sign = scipy.stats.binomtest(1, 8).pvalue
    check(f"a pair: {line}", line["model"] == "good" and abs(float(line["p"]) - sign) < 6e-5 and
          math.isclose(float(line["difference"]), 6 / 30))
    ranks = [row["rank"] for row in csv.DictReader(open(folder / "g/sphere_ranks.csv", encoding="utf-8"))]
    check(f"ranks {ranks}", ranks == ["1", "2"])
    pages, words = boxes_of(folder / "r.pdf")
    words_do_not_overlap("r.pdf", words, pages, 16 * PT)


def hostile_names_stay_text(folder):
    """Names that are markup of HTML, SVG, LaTeX and Markdown, formulas of spreadsheets, that would move a terminal's cursor, or that
    Unicode calls no characters."""
    names = ["<script>alert(1)</script>[x](javascript:alert(1))", "\\input{/etc/passwd}}\\end{tabular}\\write18{id}",
             "red\x1b[31m\x07\ufffe\ufdd0\U0010ffff\u202efdp.m", "=HYPERLINK(1)", "-cmd|' /C calc'!A0"]
    write(folder / "a.csv", answers(dict.fromkeys(names, 0.1), languages=("en", "<i>"), prompts=("nop",), variants=["a<script>"]))
    run(POV, "report", folder / "a.csv", "--title", names[0], "--resamples", "100", "--out", folder / "r.html", "--markdown", folder / "r.md",
        "--figures", folder / "f", "--pdf", folder / "r.pdf", "--csv", folder / "tables")
    cells = [cell for path in (*(folder / "tables").glob("*.csv"), *(folder / "f").glob("*.csv"))
             for line in csv.reader(path.open(encoding="utf-8", newline="")) for cell in line]
    check("a cell is a formula", not any(re.match(r"[=+@\t\r-](?!\d*\.?\d+(e[+-]?\d+)?$).", cell) for cell in cells))
    check("names are cells", all("'" + name in cells for name in names[-2:]))
    mark_up = ("<script>", "<i>", "\x1b")
    for path, forbidden in {folder / "r.html": mark_up, folder / "r.md": (*mark_up, "[x]("),
                            **dict.fromkeys((folder / "f").glob("*.tex"), ("\\input{", "\\write18", "\x1b"))}.items():
        text = path.read_text(encoding="utf-8")
        check(f"{path.name} holds {[bad for bad in forbidden if bad in text]}", not any(bad in text for bad in forbidden))
    for path in (folder / "f").glob("*.svg"):
        xml.etree.ElementTree.parse(path)
    check("the paper has pages", boxes_of(folder / "r.pdf")[0])


def runs_share_a_figure(folder):
    """Two files of one model: a figure of both, whose means and band are those of all their curves."""
    files = [answers({"m": 0.1}, prompts=("cam",), variants="a", seed=seed) for seed in (4, 5)]
    for name, rows in zip("ab", files):
        write(folder / f"{name}.csv", rows)
    run(POV, "report", folder / "a.csv", folder / "b.csv", "--apart", "--out", folder / "r.html", "--figures", folder / "f")
    drawn = pandas.read_csv(folder / "f/comfort_1_figure5_m_en_CAR_camera_s_viewpoint_2_runs_together.csv")
    check("once", not list((folder / "f").glob("comfort_2_*together*")))
    curves = numpy.array([[float(row["p_yes"]) for row in rows if row["relation"] == "front" and row["relatum_facing"]]
                          for rows in files])
    panel = drawn[drawn.panel == "in front (n = 1 scene)"]
    raw = panel[panel.series == "P(yes)"].set_index("angle_deg").value
    check("the mean of both", all(abs(raw[(phi + 180) % 360 - 180] - value) < 1e-9 for phi, value in
                                  zip(range(0, 360, 10), curves.mean(axis=0))))
    check("no band: two repetitions are one scene", panel[panel.series == "P(yes), stretched to 0..1"].low.isna().all())


def a_sweep_without_answers(folder):
    """Geometry alone: the station's curves are those of a world that is known."""
    sweep_peer.pov("sweep", sweep_peer.station(folder), "--out", folder / "run", "--quiet", "--angles", "12")
    run(POV, "report", folder / "run", "--out", folder / "r.html", "--figures", folder / "h", "--pdf", folder / "r.pdf", "--no-images")
    page = (folder / "r.html").read_text(encoding="utf-8")
    check("it says that no model was asked", "No model has answered yet" in page and "geometry (the station)" in page)
    drawn = pandas.read_csv(next((folder / "h").glob("comfort_figure5_from_above_*camera_s_viewpoint.csv")))
    for relation, best in BEST.items():
        panel = drawn[drawn.panel.str.startswith(f"{WORDS[relation]} (") & (drawn.series == "P(yes)")].dropna(subset=["value"])
        check(f"{len(panel)} stops of {relation}", len(panel) >= 12)
        for row in panel.itertuples():
            theta = abs((row.angle_deg - best + 180) % 360 - 180)
            check(f"{relation} at {row.angle_deg}: {row.value}", abs(theta - 90) < 12 or (row.value > 0.5) == (theta < 90))
    check("the log stays without answers", sweep_peer.query(folder / "run", "SELECT count(*) FROM results") == [(0,)])


def main():
    for test in a_report_of_several_models, other_papers_are_compared, hostile_names_stay_text, runs_share_a_figure, a_sweep_without_answers:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print("\n".join(dict.fromkeys(failures)) or "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
