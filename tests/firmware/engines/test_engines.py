#!/usr/bin/python3
"""Datasets for other people's evaluation engines, and their answers: a simulated model's answers through VLMEvalKit's and lmms-eval's
files score exactly as if pov had asked it. `test_engines.py N` takes N images instead of 40 (./dev bench engines: 1000)."""
import csv
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "sweep"))
import engine_peer
from sweep_peer import Server, folder, pov, query, row_checksum # noqa: F401

IMAGES = int(sys.argv[1]) if len(sys.argv) > 1 else 40
EXPORT = ["--size", "64x48", "--dataset"]
STARTED = time.monotonic()


def tell(what):
    if len(sys.argv) > 1:
        print(f"{time.monotonic() - STARTED:7.1f} s  {what}", flush=True)


def model_file(where, server, name, logprobs):
    path = pathlib.Path(where) / f"{name}.yaml"
    path.write_text(f"vlm:\n  endpoints:\n    - {{url: '{server.url}', model: {name}}}\n  logprobs: '{logprobs}'\n")
    return path


def scores_of(run):
    """Each model's tables."""
    by_model = {}
    for table, rows in json.loads(pov("compare", run, "--json")).items():
        for row in rows:
            by_model.setdefault(row.pop("model"), {}).setdefault(table, []).append(row)
    return by_model


def round_off(value):
    """Losses went through text: p differs in the last digits."""
    if isinstance(value, float):
        return round(value, 9)
    if isinstance(value, dict):
        return {key: round_off(item) for key, item in value.items()}
    return [round_off(item) for item in value] if isinstance(value, list) else value


def check_sums(dataset):
    assert subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=dataset).returncode == 0
    listed = {line.split("  ", 1)[1] for line in (dataset / "SHA256SUMS").read_text().splitlines()}
    assert listed >= {p.name for p in dataset.iterdir() if p.suffix in (".tsv", ".yaml", ".py", ".md")}, listed


def answers_through_engines_score_as_if_asked_live(where):
    run = where / "run"
    told = pov("export", "comfort-car", "--variant", "horse-left", "--images", IMAGES, "--questions", "comfort,vpt", *EXPORT,
               "lmms-eval", run)
    tell(told.strip())
    assert f"{IMAGES} images" in told
    pov("export", run, "--dataset", "vlmevalkit", where / "tables", "--licence", "CC0-1.0")
    sheet = (where / "tables" / "DATASHEET.md").read_text()
    assert "Simulated" in sheet and "CC0-1.0" in sheet and "calibration" in sheet.lower()
    check_sums(run)
    check_sums(where / "tables")
    with Server(run, "--bias", "noisy") as server:
        pov("compare", run, "--vlm", server.url, "--model", "live_p")
        tell("asked live, with probabilities")
        pov("compare", run, "--vlm", model_file(where, server, "live_words", "off"))
        tell("asked live, words only")
        model = engine_peer.Model(server.url)
        tables, own = engine_peer.run_vlmevalkit(where / "tables", where / "outputs", "kit", model)
        samples, shares = engine_peer.run_lmms_eval(run, where / "results", "lmms__eval", model)
        tell(f"answered in both engines' formats; their own scores {own} {shares}")
    pov("import", run, *tables.glob("*.tsv"))
    told = pov("import", run, *samples.glob("*_words.jsonl"))
    assert "1 more that the file has twice" in told, told
    pov("import", run, *samples.glob("*_p_*.jsonl"), "--model", "lmms_p")
    scores = scores_of(run)
    tell("imported")
    for table in scores["live_words"]:
        assert scores["kit"][table] == scores["live_words"][table], table
        assert scores["lmms__eval"][table] == scores["live_words"][table], table
    for table in ("performance", "by_relation", "convention", "perspective", "reading"):
        assert round_off(scores["lmms_p"][table]) == round_off(scores["live_p"][table]), table
    assert scores["live_words"]["performance"] != scores["live_p"]["performance"] # so the comparison above means something
    assert engine_agrees(run, own), own
    assert query(run, "SELECT count(*) FROM results WHERE counted") == [(4 * questions(run) + yes_no(run),)]
    pov("report", run, "--out", where / "report.html", timeout=250 + 2 * IMAGES)
    tell("scored: equal")
    return run, tables, samples


def questions(run):
    return query(run, "SELECT count(*) FROM questions")[0][0]


def yes_no(run):
    return query(run, "SELECT count(*) FROM questions WHERE form = 'yes_no'")[0][0]


def engine_agrees(run, own):
    """The engine's own score is the share of gold answers in the log."""
    name = next(name for name in own if name.endswith("_yn"))
    right = query(run, "SELECT avg((p > 0.5) = (gold = 'yes')) FROM answers WHERE model = 'kit' AND gold IN ('yes', 'no')")[0][0]
    return abs(right - own[name]) < 1e-12


def importing_again_or_in_another_order_changes_nothing(where, run, tables, samples):
    def rows():
        return query(run, "SELECT q.key, i.stop, m.name, r.kind, r.p, r.text FROM results r JOIN questions q ON q.id = r.question"
                          " JOIN images i ON i.id = q.image JOIN models m ON m.id = r.model ORDER BY 1, 2, 3, 4")
    before = rows()
    told = pov("import", run, *samples.glob("*_words.jsonl"), *tables.glob("*.tsv"))
    assert "lmms" not in told.split(":")[0] or " 0 answers" in told, told
    assert rows() == before
    path = next(samples.glob("*_words.jsonl"))
    lines = path.read_text().splitlines()
    turned = where / "other" / path.name
    turned.parent.mkdir()
    turned.write_text("\n".join(reversed(lines)))
    pov("import", run, turned)
    first, other = (query(run, "SELECT question, kind, p, text FROM results JOIN models m ON m.id = model"
                               f" WHERE name = '{name}' ORDER BY results.id") for name in ("lmms__eval", "other"))
    assert first == other


def every_paper_has_its_place_in_each_format(where):
    """All five papers in one image: letters, hints, system prompts, other languages, thoughts."""
    run = where / "all"
    pov("export", "comfort-car", "--images", 1, "--questions", "comfort,forest,vsr,vpt,sphere", "--languages", "en,de", *EXPORT,
        "vlmevalkit", run)
    with Server(run) as server: # always right
        model = engine_peer.Model(server.url)
        tables, own = engine_peer.run_vlmevalkit(run, where / "all_outputs", "kit", model,
                                                 lambda i, text: f"<think>Left? No, {i}.</think>\n{text}" if i % 5 == 0 else text)
    assert len(own) == 3 and all(share == 1 for name, share in own.items() if name.endswith("_mcq")), own
    pov("import", run, *tables.glob("*.tsv"))
    wrong = query(run, "SELECT key, gold, text FROM answers WHERE gold IS NULL OR outcome != 'answered' OR kind NOT IN ('text')")
    assert not wrong, wrong[:5]
    for row in json.loads(pov("compare", run, "--json"))["agreement"]:
        assert row["station"]["mean"] == 1, row


def letters_are_read_as_the_options_offered(where):
    """An engine's model answers "B"; pov reads the option that has that letter."""
    run = where / "letters"
    pov("export", "comfort-car", "--images", 1, "--questions", "sphere", *EXPORT, "vlmevalkit", run)
    table, = run.glob("*_mcq.tsv")
    rows = engine_peer.read_table(table)
    out = where / f"lettered_{table.stem}.tsv"
    with open(out, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_ALL)
        writer.writerow(["index", "pov_id", "prediction"])
        for row in rows:
            writer.writerow([row["index"], row["pov_id"], f"{row['answer']}."])
    pov("import", run, out)
    scores = json.loads(pov("compare", run, "--json"))
    means = {row["value"]: row["accuracy"]["mean"] for row in scores["scores"] if row["answered"]}
    assert means and set(means.values()) == {1}, means
    unanswered = [(row["value"], row["asked"], row["not_asked"], row["missing"], row["unclear"]) for row in scores["scores"] if not row["answered"]]
    assert all(asked == not_asked for _, asked, not_asked, *_ in unanswered), unanswered


def what_does_not_belong_is_refused_whole(where, run):
    question, = query(run, "SELECT i.sha256, i.stop, q.key FROM questions q JOIN images i ON i.id = q.image LIMIT 1")
    name = f"{question[0][:12]}.{question[1]}/{question[2]}"
    good = json.dumps({"id": name, "answer": "Yes"})
    before = query(run, "SELECT count(*) FROM results")
    cases = {
        "other.jsonl": (good + '\n{"id": "000000000000.0/comfort/x", "answer": "no"}\n', "other.jsonl:2:", "does not have"),
        "mixed.jsonl": (good + '\n{"filtered_resps": "yes", "pov": {"id": "x"}}\n', "mixed.jsonl:2:", "another kind"),
        "broken.jsonl": (good + '\n{"id": \n', "broken.jsonl:2:", "no JSON object"),
        "range.jsonl": (json.dumps({"id": name, "p_yes": 1.5}), "range.jsonl:1:", "p_yes"),
        "silent.jsonl": (json.dumps({"id": name}), "silent.jsonl:1:", "neither"),
        "a/x_samples_t.jsonl": ('{"filtered_resps": "yes", "acc": 1.0}\n', "samples_t.jsonl:1:", "names no question"),
        "a/n_samples_t.jsonl": (json.dumps({"filtered_resps": [["nan", "True"], ["1", "False"]], "pov": {"id": name}}), ":1:",
                                "neither an answer"),
        "k_pov_1_yn.tsv": ('"index"\t"question"\t"prediction"\n"0"\t"?"\t"Yes"\n', "k_pov_1_yn.tsv", "pov_id"),
        "k_pov_1_yn.xlsx": ("PK\x03\x04", "k_pov_1_yn.xlsx", "PRED_FORMAT=tsv"),
        "empty.jsonl": ("\n\n", "empty.jsonl", ""),
        "twice.jsonl": (good + '\n{"id": "%s", "answer": "yes", "answer": "no"}\n' % name, "twice.jsonl:2:", "'answer' stands twice"),
        "both.jsonl": (json.dumps({"id": name, "answer": "No", "p_yes": 0.9}), "both.jsonl:1:", "both 'answer' and 'p_yes'"),
        "item.json": (f'[{good}, {good}, 7]', "item.json:3:", "no JSON object"),
        "cut.json": (f'[{good}, ', "cut.json:", "no JSON array"),
        "more.json": (f'[{good}]\n[{good}]', "more.json:", "more after"),
    }
    (where / "a").mkdir()
    for path, (text, *words) in cases.items():
        (where / path).write_text(text)
        told = pov("import", run, where / path, "--model", "m", code=1)
        assert all(word in told for word in words), (path, told)
    (where / "plain.jsonl").write_text(good)
    assert "--model" in pov("import", run, where / "plain.jsonl", code=1)
    assert query(run, "SELECT count(*) FROM results") == before
    pov("import", run, where / "plain.jsonl", "--model", "m") # and this is what was good about them
    assert query(run, "SELECT r.text, r.p FROM results r JOIN models m ON m.id = r.model WHERE m.name = 'm'") == [("Yes", 1.0)]
    assert "--csv" in pov("export", run, code=2) and "folder" in pov("export", run, "--dataset", "jsonl", code=2)


def a_server_that_gave_up_is_no_answer(where, run):
    question, = query(run, "SELECT i.sha256, i.stop, q.key FROM questions q JOIN images i ON i.id = q.image LIMIT 1")
    path = where / "gone_pov_1_yn.tsv"
    path.write_text('"pov_id"\t"prediction"\n"%s.%d/%s"\t"Failed to obtain answer via API."\n' % (question[0][:12], *question[1:]))
    pov("import", run, path)
    assert query(run, "SELECT outcome, p FROM results r JOIN models m ON m.id = r.model WHERE m.name = 'gone'") == [("unreachable", None)]


def a_byte_order_mark_and_an_array_are_read(where, run):
    question, = query(run, "SELECT i.sha256, i.stop, q.key FROM questions q JOIN images i ON i.id = q.image WHERE q.form = 'yes_no' LIMIT 1")
    row = {"id": "%s.%d/%s" % (question[0][:12], *question[1:]), "answer": "No"}
    for name, text in (("marked", "\ufeff" + json.dumps(row) + "\n"), ("array", json.dumps([row])), ("both", "\ufeff [\n" + json.dumps(row) + "]\n"),
                       ("null", json.dumps({**row, "p_yes": None}))):
        path = where / f"{name}.json"
        path.write_text(text, encoding="utf-8")
        assert ": 1 answers" in pov("import", run, path, "--model", name)
        assert query(run, f"SELECT text, p FROM results r JOIN models m ON m.id = r.model WHERE m.name = '{name}'") == [("No", 0.0)]


def an_answer_that_is_none_is_missing(where, run):
    rows = query(run, "SELECT i.sha256, i.stop, q.key FROM questions q JOIN images i ON i.id = q.image WHERE q.form = 'yes_no' LIMIT 4")
    answers = ["nan", "None", "", "null"]
    path = where / "nothing.jsonl"
    path.write_text("".join(json.dumps({"id": "%s.%d/%s" % (row[0][:12], *row[1:]), "answer": a}) + "\n" for row, a in zip(rows, answers)))
    pov("import", run, path, "--model", "nothing")
    assert query(run, "SELECT kind, p FROM results r JOIN models m ON m.id = r.model WHERE m.name = 'nothing'") == [("missing", None)] * 4


def a_recording_becomes_a_dataset(where):
    pov("sim", "comfort-ball", "--images", 3, "--bodies", "own", "--size", "240x180", "--quiet", "--out", where / "world")
    pov("run", where / "world" / "station.yaml", "--no-publish", "--quiet", "--record", where / "three.mcap")
    pov("export", where / "three.mcap", "--dataset", "jsonl", where / "recorded")
    check_sums(where / "recorded")
    lines = [json.loads(line) for line in (where / "recorded" / "questions.jsonl").read_text().splitlines()]
    assert {line["stop"] for line in lines} == {0, 1, 2} and {line["form"] for line in lines} == {"yes_no"}
    for line in lines:
        image = (where / "recorded" / line["image"]).read_bytes()
        assert hashlib.sha256(image).hexdigest() == line["image_sha256"]
        assert line["prompt"] and line["golds"] and (line["gold"] is None or line["gold"] in ("yes", "no"))
    assert "recorded" in pov("export", where / "three.mcap", "--dataset", "jsonl", where / "recorded") # again: the same
    for name, answer in ("words", {"answer": "Yes."}), ("likelihoods", {"p_yes": 0.7}):
        path = where / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"id": line["id"], **answer}) + "\n" for line in lines))
        pov("import", where / "recorded", path, "--model", "llava")
    models = {row["model"] for row in csv.DictReader(pov("compare", where / "recorded", "--export", "csv").splitlines())}
    assert models == {"llava (jsonl, words)", "llava (jsonl, likelihoods)"}, models
    assert "llava (jsonl, words)" in pov("compare", where / "recorded")
    assert "differs" in pov("export", where / "three.mcap", "--questions", "vsr", "--dataset", "jsonl", where / "recorded", code=1)


with folder() as name:
    where = pathlib.Path(name)
    run, tables, samples = answers_through_engines_score_as_if_asked_live(where)
    if len(sys.argv) == 1:
        importing_again_or_in_another_order_changes_nothing(where, run, tables, samples)
        what_does_not_belong_is_refused_whole(where, run)
        a_server_that_gave_up_is_no_answer(where, run)
        a_byte_order_mark_and_an_array_are_read(where, run)
        an_answer_that_is_none_is_missing(where, run)
        every_paper_has_its_place_in_each_format(where)
        letters_are_read_as_the_options_offered(where)
        a_recording_becomes_a_dataset(where)
    shutil.rmtree(where / "outputs")
