#!/usr/bin/python3
"""`pov score` against tests/bench/scores_numpy.py, which does the same with numpy and scipy, and against scores worked
out by hand; what it says of files that are not as they should be."""
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("POV_SOURCE", pathlib.Path(__file__).parents[3]))
SHARED = pathlib.Path(os.environ.get("POV_SHARED", ROOT.parent / "shared"))
POV = os.environ.get("POV", str(ROOT / "build/release/pov"))
failures = []


def check(what, condition):
    if not condition:
        failures.append(what)


def near(what, actual, expected, tolerance=1e-9):
    check(f"{what}: {actual}, not {expected}", actual is not None and abs(actual - expected) <= tolerance)


def score(text, *options, name="answers.csv"):
    """(exit status, JSON or None, stderr)"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        run = subprocess.run([POV, "score", str(path), "--json", *options], capture_output=True, text=True, check=False)
    return run.returncode, json.loads(run.stdout) if run.returncode == 0 else None, run.stderr


# ---- COMFORT against numpy -------------------------------------------------------------------------------------------

def comfort_answers(seed, scenes=3):
    source = random.Random(seed)
    direction = {"left": 270, "right": 90, "front": 0, "behind": 180}
    lines = ["scene,relatum_facing,variant,prompt,relation,phi_deg,p_yes"]
    for scene in range(scenes):
        for facing in ("left", "right"):
            for variant in range(4):
                for prompt in ("nop", "cam", "add", "rel"):
                    for relation, best in direction.items():
                        noise = source.uniform(0, 0.2)
                        for phi in range(0, 360, 10):
                            p = 0.5 + 0.3 * math.cos(math.radians(phi - best)) + source.uniform(-noise, noise)
                            lines.append(f"s{scene},{facing},{variant},{prompt},{relation},{phi},{p}")
    return "\n".join(lines) + "\n"


def against_numpy():
    text = comfort_answers(1)
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(text)
        file.flush()
        run = subprocess.run([sys.executable, ROOT / "tests/bench/scores_numpy.py", file.name], check=True,
                             input="intervals 1000\nprint\n", capture_output=True, text=True)
    expected = json.loads(run.stdout.split("\n")[1])
    status, result, _ = score(text)
    check("scores", status == 0)
    for table, keys in ("performance", "accuracy eps_cos eps_hemi eps_clipped eta c_sym sigma c_opp"), \
                       ("reading", "intrinsic ego_tran ego_rot ego_refl add_tran add_rot add_refl"):
        check(f"{table}: four groups", len(result[table]) == 4)
        for row in result[table]:
            for key in keys.split():
                mean, low, high = expected[row["prompt"]][key]["all"]
                near(f"{row['prompt']} {key}", row[key]["mean"], mean)
                near(f"{row['prompt']} {key} low", row[key]["low"], low, 0.15 * (high - low))
                near(f"{row['prompt']} {key} high", row[key]["high"], high, 0.15 * (high - low))
    for row in result["by_relation"]:
        relation = ["left_of", "right_of", "in_front_of", "behind"].index(row["relation"])
        for key in "accuracy", "eps_cos", "eta", "c_sym":
            mean, low, high = expected[row["prompt"]][key]["by"][relation]
            near(f"{row['relation']} {key}", row[key]["mean"], mean)
            near(f"{row['relation']} {key} high", row[key]["high"], high, 0.2 * (high - low))
    names = {"translated": "ego_tran", "rotated": "ego_rot", "reflected": "ego_refl", "egocentric": "ego_refl",
             "addressee": "add_refl"}
    for table in "convention", "perspective", "reading":
        for row in result[table]:
            best, significant = expected[row["prompt"]]["preferred"][table]
            check(f"best {table}", names.get(row["best"], row["best"]) == best)
            check(f"preferred {table}", (row["preferred"] != "-") == significant)
    return text


def the_authors_layout():
    text = (SHARED / "golden/comfort.json").read_text()
    golden = json.loads(text)["cases"]
    released, paper = (score(text, *options, "--resamples", "100", name="results.json")[1] for options in
                       (["--released"], []))
    for i, case in enumerate(golden):
        row, printed = released["performance"][i], case["table5_cam_left"]
        near(f"{case['kind']} accuracy", row["accuracy"]["mean"], printed["acc"])
        for key in "eps_cos eps_hemi eps_clipped sigma eta c_sym c_opp".split():
            near(f"{case['kind']} {key}", row[key]["mean"], printed[key])
        near(f"{case['kind']} F1", row["object_f1"], case["hallucination"]["f1"])
        check(f"{case['kind']}'s name", row["model"] == case["kind"])
        shift = dict(behind="rotated_camera", infrontof="rotated_camera", totheleft="camera", totheright="camera")
        curves = case["paper_formulas_n36"]["per_curve"]
        eps = [one["by_shift"][shift[key.split("/")[0]]]["eps_cos"] for key, one in curves.items()]
        near(f"{case['kind']} eps_cos with n = 36", paper["performance"][i]["eps_cos"]["mean"], sum(eps) / len(eps))


def is_the_same_as_json_lines(text):
    header, *rows = text.strip().split("\n")
    lines = []
    for row in rows:
        fields = dict(zip(header.split(","), row.split(",")))
        fields["phi_deg"], fields["p_yes"] = int(fields["phi_deg"]), float(fields["p_yes"])
        lines.append(json.dumps(fields))
    random.Random(3).shuffle(lines)  # the order of rows says nothing
    first, second = score(text)[1], score("\n".join(lines), name="answers.json")[1]
    by_prompt = lambda result: sorted((row["prompt"], row["eps_cos"]["mean"]) for row in result["performance"])
    for (prompt, a), (_, b) in zip(by_prompt(first), by_prompt(second)):
        near(f"JSON lines, {prompt}", b, a, 1e-12)


def documents_are_read_as_their_rows():
    rows = [{"relation": "on", "gold": True, "answer": "yes"}, {"relation": "under", "gold": True, "answer": "no"}]
    expected = score("\n".join(json.dumps({"model": "m", **row}) for row in rows), "--paper", "vsr")[1]
    for document in ([{"model": "m", **row} for row in rows], {"source": "x", "data": [{"model": "m", **row} for row in rows]},
                     {"model": "m", "data": rows}, [{"model": "m", "asked": rows}], {"deep": [{"model": "m", "asked": rows}]}):
        for indent in None, 1:
            status, result, error = score(json.dumps(document, indent=indent), "--paper", "vsr")
            check(f"{document}: {error}", status == 0 and result == expected)
    for document, words in ([{"model": "m", "data": [{"model": "n", **rows[0]}]}, "model: is both within the list 'data' and beside it"],
                            [[1], "is not a JSON object"], [[{}], "is not a JSON object"],
                            [{"a": [{"b": [{"c": [{"d": [{"e": 1}]}]}]}]}, "lists of objects within 3 others"]):
        status, _, error = score(json.dumps(document, indent=1), "--paper", "vsr")
        check(f"{document}: {error!r}", status == 1 and words in error)


def curve(values, extra=""):
    """A file of one relation's curve; values: strings for p_yes."""
    return "prompt,relation,phi_deg,p_yes\n" + "".join(f"cam,left,{10 * i},{p}\n" for i, p in enumerate(values)) + extra


def unscored_and_words():
    ideal = [f"{(math.cos(math.radians(10 * i - 270)) + 1) / 2:.12f}" for i in range(36)]
    ideal[4] = ""
    status, result, _ = score(curve(ideal))
    row, answers = result["performance"][0], result["answers"][0]
    near("a gap is left out", row["accuracy"]["mean"], 1)
    near("a gap is left out of eps", row["eps_cos"]["mean"], 0)
    check("eta has none with a gap", row["eta"]["mean"] is None)
    check("a gap is counted", answers["unscored"] == 1 and answers["given"] == 35 and answers["missing"] == 1)

    text = "prompt,relation,phi_deg,answer\n" + "".join(
        f"cam,left,{10 * i},\"{'Ja, links' if 180 < 10 * i < 360 else 'Nein.'}\"\n" for i in range(35)) + \
        "cam,left,350,\"I'm sorry, I cannot tell\"\n"
    status, result, _ = score(text, "--yes", "ja", "--no", "nein")
    near("words", result["performance"][0]["accuracy"]["mean"], 1)
    answers = [("de", "Antwort: Ja"), ("pt", "No carro."), ("pt", "Não."), ("es", "No se puede saber."), ("zh", "答案：是"), ("en", "Yes"),
               ("xx", "Yes")]
    _, own, _ = score("prompt,relation,phi_deg,language,answer\n" + "".join(
        f'cam,left,{10 * i},{code},"{answer}"\n' for i, (code, answer) in enumerate(answers)), "--resamples", "100")
    own = {row["language"]: (row["given"], row["refused"], row["unclear"]) for row in own["answers"]}
    check(f"each row in its language: {own}", own == {"de": (1, 0, 0), "pt": (1, 0, 1), "es": (0, 1, 0), "zh": (1, 0, 0),
                                                      "en": (1, 0, 0), "xx": (1, 0, 0)})
    check("refusals are counted apart", result["answers"][0]["refused"] == 1 and result["answers"][0]["unscored"] == 1)

    status, result, _ = score("prompt,relation,phi_deg,p_yes,p_no,present\ncam,left,90,0.2,0.6,\n,,,0.5,0.5,yes\n"
                              ",,,0.1,0.9,yes\n,,,0.5,0.1,no\n,,,0,0.3,no\n")
    near("F1 of one hit, one miss, one false alarm", result["performance"][0]["object_f1"], 0.5)
    near("Brier of P(yes) = 1/4 against no", result["answers"][0]["brier"], 0.0625)


# ---- the other papers, by hand ---------------------------------------------------------------------------------------

def rows_of(result, table="scores"):
    return {(row["by"], row["value"]): row for row in result[table]}


def forest():
    text = """relatum,asked,gold_relative,gold_intrinsic,answer
cow,camera,left,right,"Left."
cow,camera,left,right,"It is to the right of it"
cow,camera,left,right,left
cow,camera,left,right,behind
cow,camera,front,front,in front
box,camera,back,,back
box,camera,back,,"I'm sorry, I can't tell."
cow,relatum,left,right,
"""
    _, result, _ = score(text, "--paper", "forest")
    rows, bias = rows_of(result), rows_of(result, "bias")
    cow = rows["question", "camera perspective, cow"]
    near("FoREST accuracy", cow["accuracy"]["mean"], 4 / 5)
    near("FoREST chance", cow["chance"], (4 * 0.5 + 0.25) / 5)
    near("R%", bias["question", "camera perspective, cow"]["R"], 2 / 3)
    near("refusals are wrong", rows["question", "camera perspective, box"]["accuracy"]["mean"], 0.5)
    check("missing ones left out", rows["question", "relatum perspective, cow"]["accuracy"]["mean"] is None)
    near("FoREST overall", rows["all", ""]["accuracy"]["mean"], 5 / 7)
    _, result, _ = score("gold_frame,answer\nER|EI,It is external intrinsic.\nII,external relative\n",
                         "--paper", "forest")
    near("frames", rows_of(result)["frame identification", ""]["accuracy"]["mean"], 0.5)


def forest_as_published():
    """Counts of a published evaluation: what fits both frames, only one, or none of them."""
    golden = json.loads((SHARED / "golden/forest.json").read_text())["example_A_camera_eval"]
    for classes, one in golden["by_definition"].items():
        rows, intrinsic = ["gold_relative,gold_intrinsic,answer"], "intrinsic" in classes
        relative_only, intrinsic_only = one.get("R", 0), one.get("I", 0)
        gold = "left,right" if intrinsic else "left,"
        rows += [gold + ",left"] * relative_only + [gold + ",right"] * intrinsic_only
        both = one["correct"] - relative_only - intrinsic_only
        rows += [("front,front" if intrinsic else "front,") + ",front"] * both
        rows += [gold + ",behind"] * (one["n"] - one["correct"])
        _, result, _ = score("\n".join(rows), "--paper", "forest", "--resamples", "100")
        near(classes, 100 * rows_of(result)["all", ""]["accuracy"]["mean"], one["acc"])
        bias = result["bias"][0]
        if intrinsic:
            near(f"{classes} R%", 100 * bias["R"], one["R%_by_definition"])
            near(f"{classes} I%", 100 * bias["I"], one["I%_by_definition"])


def forest_as_the_script_prints():
    """R% and I% of the same evaluation as the authors' script prints them, by --released."""
    golden = json.loads((SHARED / "golden/forest.json").read_text())["example_A_camera_eval"]
    relata = dict(cow="external intrinsic external relative",
                  car="external intrinsic external relative internal intrinsic internal relative")
    rows = ["relatum,gold_relative,gold_intrinsic,answer"]
    for relatum, classes in relata.items():
        one, alike = golden["by_definition"][classes], golden["repo_function_output(default_relation_index=0)"]
        alike = round(alike["same_fraction"][classes] * one["n"])
        both, relative, intrinsic = one["correct"] - one["R"] - one["I"], one["R"], one["I"]
        rows += [f"{relatum},left,right,left"] * relative + [f"{relatum},left,right,right"] * intrinsic
        rows += [f"{relatum},front,front,front"] * both + [f"{relatum},front,front,back"] * (alike - both)
        rows += [f"{relatum},left,right,back"] * (one["n"] - relative - intrinsic - alike)
    _, result, _ = score("\n".join(rows), "--paper", "forest", "--released", "--resamples", "100")
    for row in result["bias"]:
        printed = golden["repo_printed"][row["value"].split()[-1]]
        near(f"{row['value']} R%", 100 * row["R"], printed["R%"], 0.005)
        near(f"{row['value']} I%", 100 * row["I"], printed["I%"], 0.005)
    scores = rows_of(result)
    for relatum in relata:
        near(f"{relatum} accuracy", 100 * scores["question", f"camera perspective, {relatum}"]["accuracy"]["mean"],
             golden["repo_printed"][relatum]["acc"], 0.005)


def marked_answers_decide_alone():
    """What is marked as the answer and names none is wrong whatever stands before it, in all five papers; hand-worked."""
    by_the_text = "It is to the left of the sheep by the text. "
    ends = ["Answer: Unable to determine.", "Answer: top", "Answer: below", "Answer: ambiguous", "Final answer: unclear"]
    cases = [
        ("forest", "gold_relative,gold_intrinsic", "left,right", by_the_text),
        ("forest", "gold_frame", "EI", "It is external intrinsic. "),
        ("vsr", "relation,gold", "left of,true", "Yes, it is true. "),
        ("vpt", "question,gold", "Q7,left", by_the_text),
        ("vpt", "question,gold", "Q5,east", "It faces east. "),
        ("vpt", "question,gold", "Q6,no", "No, it does not. "),
        ("vpt", "question,gold", "Q1,3", "I count 3. "),
        ("sphere", "options,gold", "left|right,left", by_the_text),
        ("sphere", "options,gold", ",3", "There are 3. "),
        ("sphere", "options,gold", "yes|no,yes", "Yes. "),
    ]
    for paper, columns, gold, reasoning in cases:
        for end in ends:
            _, result, _ = score(f'{columns},answer\n{gold},"{reasoning}{end}"\n', "--paper", paper, "--resamples", "100")
            row = result["scores"][0]
            near(f"{paper}: {reasoning}{end}", (row.get("accuracy") or row["correctness"])["mean"], 0)
            check(f"{paper}: {end} is an answer, refused or unclear", row["refused"] + row["unclear"] == 1)
    _, result, _ = score("prompt,relation,phi_deg,answer\n" + "".join(
        f'cam,left,{10 * i},"Yes, by the text. {end}"\n' for i, end in enumerate(ends)), "--resamples", "100")
    check("COMFORT scores none of them", result["answers"][0]["given"] == 0 and
          result["answers"][0]["refused"] + result["answers"][0]["unclear"] == len(ends))


def released():
    """As the papers' scripts read answers; worked out by hand from what they do."""
    forest = """gold_relative,answer,right
left,"Answer: in front, on its left",1
right,"It is not left. Answer: Right.",1
left,"It may be left. Answer: top",0
left,"By the text it is left, not right",1
right,"By the text it is left, not right",0
back,Answer: behind.,1
back,Category: back,1
back,Category: the back,0
back,Answer: behind it,0
back,,0
"""
    frames = """gold_frame,answer,right
IR,"Is it internal relative? No: external relative",1
ER,"Internal relative? Answer: external relative.",1
ER,Category: external relative,1
ER,Category: external relative.,0
"""
    sphere = """options,gold,answer,right
left|right,left,"Left, or right?",1
left|right,right,"Left, or right?",0
left|right,left,"The man. He is left.",0
the dog|the dogs and cats,the dog,"Dogs and cats.",1
,12,"1-2",1
,0,"I have no idea, 3",1
,3,"There are three.",1
,20,"Twenty, or more",1
,21,"Twenty-one",0
"""
    vsr = """relation,gold,answer,p_true,right
on,true,True,,1
on,true,"Yes, it is",,0
on,false, 0 ,,1
on,true,,,0
on,true,,0.5,0
on,false,,0.5,1
"""
    for paper, text in ("forest", forest), ("forest", frames), ("sphere", sphere), ("vsr", vsr):
        header, *rows = text.strip().split("\n")
        for row in rows:
            answer, _, right = row.rpartition(",")
            _, result, _ = score(f"{header.rpartition(',')[0]}\n{answer}\n", "--paper", paper, "--released", "--resamples", "100")
            near(f"{paper} released: {row}", result["scores"][0]["accuracy"]["mean"], float(right))
    status, _, error = score("question,gold,answer\nQ1,1,1\n", "--released")
    check(f"Isle-Brick has no script: {error}", status == 1 and "people read Isle-Brick's answers" in error)


def vsr():
    text = """relation,gold,frame,answer,p_true
at the left side of,true,relative_only,"Yes, it is.",
at the left side of,false,neither,,0.9
facing,false,both,No,
juggling,true,,True,
under,true,,,
under,false,,"I'm sorry, I cannot tell",
"""
    _, result, _ = score(text, "--paper", "vsr")
    rows = rows_of(result)
    near("VSR, a refusal is wrong whatever is right", rows["all", ""]["accuracy"]["mean"], 3 / 5)
    near("VSR category", rows["category", "adjacency"]["accuracy"]["mean"], 0.5)
    near("VSR orientation", rows["category", "orientation"]["accuracy"]["mean"], 1)
    near("VSR relation", rows["relation", "at the left side of"]["accuracy"]["mean"], 0.5)
    near("VSR frame", rows["frame", "relative_only"]["accuracy"]["mean"], 1)
    check("VSR missing", rows["all", ""]["missing"] == 1)
    near("VSR Brier", result["calibration"][0]["brier"], 0.81)


def vpt():
    text = """{"question": "Q5", "gold": ["north", "east"], "answer": "northeast"}
{"question": "Q5", "gold": "north", "answer": "It is facing northeast."}
{"question": "Q5", "gold": "north", "answer": "East, assuming the top of the image is north."}
{"question": "Q5", "gold": "west", "answer": "As an AI I cannot tell."}
{"question": "Q6", "gold": "no", "answer": "No, it faces away"}
{"question": "Q6", "gold": true, "answer": "It cannot see the dog"}
{"question": "Q1", "gold": 1, "answer": "There is one object: 1. A dog"}
{"question": "Q7", "gold": "back|left", "answer": "to its left"}
"""
    _, result, _ = score(text, "--paper", "vpt", name="vpt.jsonl")
    rows = rows_of(result)
    near("Q5", rows["question", "Q5"]["correctness"]["mean"], 1.5 / 4)
    near("Q5 chance", rows["question", "Q5"]["chance"], 5 / 16)
    near("Q6", rows["question", "Q6"]["correctness"]["mean"], 0.5)
    near("Q1", rows["question", "Q1"]["correctness"]["mean"], 1)
    near("Q7", rows["question", "Q7"]["correctness"]["mean"], 1)
    near("perspective taking", rows["skill", "visual perspective taking"]["correctness"]["mean"], 2 / 3)
    matrix = {row["gold"]: [row[k] for k in ("north/front", "east/right", "south/back", "west/left")]
              for row in result["cooccurrence"] if row["value"] == "Q5"}
    check(f"co-occurrence {matrix}", matrix == {"north": [2, 3, 0, 0], "east": [1, 1, 0, 0], "south": [0, 0, 0, 0],
                                                "west": [0, 0, 0, 0]})
    bias = rows_of(result, "directional_bias")["question", "Q5"]
    # golds north 3, east 1, west 1; answers north 2, east 3
    near("bias", bias["bias"], (abs(2 / 5 - 3 / 5) + abs(3 / 5 - 1 / 5) + 1 / 5) / 2)
    check("favourite", bias["favourite"] == "east")
    check("discarded", (bias["single"], bias["compound"], bias["discarded"]) == (1, 2, 1))


def sphere():
    text = """id,task,options,gold,answer
q1,position,left|right,left,Left
q1,position,right|left,left,"on the right"
q2,position,left|right,right,right
q3,counting,,3,"There are three cups"
q4,counting,,0,none
q5,size,the closer object|the farther object|similar,similar,"What a nice picture"
q6,size,yes|no,yes,
q7,quotes,"the ""red"" one|the blue, one","the blue, one","the blue, one"
q8,quotes,"the ""red"" one|the blue, one","the ""red"" one","The ""red"" one.
It is red."
"""
    _, result, _ = score(text, "--paper", "sphere")
    rows = rows_of(result)
    near("runs of one question are one", rows["task", "position"]["accuracy"]["mean"], 0.75)
    check("questions", rows["task", "position"]["accuracy"]["n"] == 2)
    near("counting", rows["task", "counting"]["accuracy"]["mean"], 1)
    check("counting has no chance", rows["task", "counting"]["chance"] is None)
    near("quoted fields", rows["task", "quotes"]["accuracy"]["mean"], 1)
    near("invalid is wrong", rows["task", "size"]["accuracy"]["mean"], 0)
    near("validity", rows["task", "size"]["validity"], 0)
    near("chance of three and two", rows["task", "size"]["chance"], (1 / 3 + 1 / 2) / 2)


# ---- files that are not as they should be ----------------------------------------------------------------------------

# ---- many models -----------------------------------------------------------------------------------------------------

def vsr_of(models, rows=20):
    source = random.Random(5)
    relations = ["at the left side of", "behind", "on", "near", "facing", "under", "inside", "touching"]
    lines = ["model,id,relation,gold,answer"]
    for row in range(rows):  # models take turns: none has its rows together
        for model in range(models):
            lines.append(f"m{model},q{row},{source.choice(relations)},true,{source.choice(['yes', 'no'])}")
    return "\n".join(lines) + "\n"


def comfort_of(models):
    lines = ["model,scene,prompt,relation,phi_deg,p_yes,present"]
    for model in range(models):
        lines += [f"m{model},s,cam,left,{phi},{0.5 + 0.4 * math.sin(phi + model):.6f}," for phi in range(0, 360, 10)]
        lines += [f"m{model},,,,,{p},{present}" for p, present in ((0.9, "yes"), (0.2, "no"))]
    return "\n".join(lines) + "\n"


def cpu_s(command, text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "answers.csv"
        path.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        more = ["--out", f"{folder}/r.html", "--no-images"] if command == "report" else ["--json"]
        subprocess.run([POV, command, path, "--resamples", "100", *more], check=True, stdout=subprocess.DEVNULL)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def time_is_linear_in_models():
    """Ten times the models take about ten times the time: a hundred times would be quadratic."""
    for command in "score", "report":
        for make in vsr_of, comfort_of:
            few, many = (cpu_s(command, make(models)) for models in (200, 2000))
            check(f"{command}, {make.__name__}: 200 models {few:.2f} s, 2000 models {many:.2f} s", many < 30 * few)


def a_model_scores_the_same_in_a_crowd():
    text = vsr_of(50)
    lines = text.split("\n")
    alone = "\n".join([lines[0]] + [line for line in lines if line.startswith("m7,")]) + "\n"
    crowd = score(text)[1]["scores"]
    check("one model", [row for row in crowd if row["model"] == "m7"] == score(alone)[1]["scores"])
    models = [row["model"] for row in crowd]
    check("a model's rows are together, in the order in which models came",
          models == sorted(models, key=lambda model: int(model[1:])))
    one = score(comfort_of(3))[1]["performance"]
    check("each model has its object F1", [row["object_f1"] for row in one] == [1, 1, 1])


def complaints():
    cases = [
        ("", "empty", []),
        ("prompt,relation,phi_deg\ncam,left,0\n", "answers.csv:1: neither a column 'p_yes' nor 'answer'", []),
        ("relation,phi_deg,p_yes\nleft,0,1\n", "answers.csv:1: no column 'prompt'", []),
        ("question,answer\nQ6,yes\n", "answers.csv:1: no column 'gold'", []),
        ("prompt,relation,phi_deg,p_yes\n", "has no answers", []),
        (curve(["0.5"] * 3 + ["1.5"]), "answers.csv:5: p_yes: 1.5 is not within 0 to 1", []),
        (curve(["0.5"] * 3 + ["x"]), "answers.csv:5: p_yes: 'x' is not a number", []),
        ("prompt;relation;phi_deg;p_yes\ncam;left;0;0,5\n", "'0,5' is not a number; decimals are written with a point",
         []),
        (curve(["0.5"], "cam,left,0,0.5\n"), "answers.csv:3: phi_deg: a second answer to the question of line 2", []),
        (curve(["0.5"], "cam,left,15,0.5\n"), "answers.csv:3: phi_deg: '15': expected a multiple of 10", []),
        (curve(["0.5"], "cam,above,10,0.5\n"), "answers.csv:3: relation: 'above' is none of: left, right", []),
        (curve(["0.5"], "cam,left,10\n"), "answers.csv:3: 3 fields; the first line names 4", []),
        (curve(["0.5"], "cam,left,10,0.5,6\n"), "answers.csv:3: more than the 4 fields", []),
        (curve(["0.5"], 'cam,"left,10,0.5\n'), "answers.csv:3: a quote is opened and not closed", []),
        ("prompt,relation,phi_deg,p_yes,prompt\n", "column 'prompt' is named twice", []),
        ("a\0b".encode("utf-16"), "UTF-16", []),
        ('{"prompt": "cam",\n', "answers.csv:1: is not a JSON object on one line", []),
        ('{"prompt": {"x": 1}, "relation": "left", "phi_deg": 0, "p_yes": 1}\n', "answers.csv:1: prompt: '{\"x\":1}' is none of", []),
        ("question,gold,answer\nQ9,1,1\n", "answers.csv:2: question: 'Q9' is none of: Q1", ["--paper", "vpt"]),
        ("question,gold,answer\nQ4,up,north\n", "answers.csv:2: gold: 'up' is none of: north", ["--paper", "vpt"]),
        ("options,gold,answer\na|b,c,a\n", "answers.csv:2: gold: 'c' is not one of the options 'a|b'",
         ["--paper", "sphere"]),
        ("options,gold,answer\n" + "|".join(map(str, range(27))) + ",9,9\n", "answers.csv:2: options: has 27 options; at most 26 are scored",
         ["--paper", "sphere"]),
        ("relation,gold,answer\non,perhaps,yes\n", "answers.csv:2: gold: 'perhaps' is none of: yes",
         ["--paper", "vsr"]),
    ]
    for text, expected, options in cases:
        status, _, error = score(text, *options)
        check(f"{text[:60]!r}: exit {status}, {error!r}, not {expected!r}", status == 1 and expected in error)
    layouts = [
        ("{", "layout.json:1: is not a JSON object on one line"),
        ('{"p_yes": {"behind": {"default": [1, 2]}}}', "expected 36 or 37"),
        ('{"cases": [{"p_yes": {"behind": {"x": [%s]}}}]}' % ",".join(["2"] * 36), "within 0 to 1"),
        ('{"cases": []}', "holds no answer"),
    ]
    for layout, expected in layouts:
        status, _, error = score(layout, name="layout.json")
        check(f"{layout[:40]}: {error!r}, not {expected!r}", status == 1 and expected in error)
    for options in ["--paper", "x"], ["--resamples", "1"], ["--convention", "x"], ["--nothing"], \
                   ["--paper", "vpt", "--released"]:
        check(f"{options} is usage", score(curve(["1"]), *options)[0] == 2)


def rows_that_name_their_paper():
    """As exports do, whatever other columns there are."""
    rows = "\n".join(f"m,vsr,{i},,,{'yes' if i % 2 else 'no'},yes,left_of" for i in range(8))
    code, result, said = score(f"model,paper,id,prompt,phi_deg,gold,answer,relation\n{rows}\n")
    check(f"a file of VSR with a column prompt: {said}", code == 0 and result["scores"][0]["by"] == "all" and result["scores"][0]["accuracy"]["mean"] == 0.5)
    code, _, said = score(f"model,paper,id,gold,answer,relation\nm,vsr,1,yes,yes,left_of\nm,sphere,2,a,a,\n")
    check(f"a file of two papers: {said}", code == 1 and "'vsr' and of 'sphere'" in said)


def main():
    try:
        import scipy  # noqa: F401
    except ImportError:
        print("skipped: no scipy")
        return 77
    is_the_same_as_json_lines(against_numpy())
    for test in (documents_are_read_as_their_rows, unscored_and_words, forest, marked_answers_decide_alone, released, vsr, vpt,
                 sphere, rows_that_name_their_paper, a_model_scores_the_same_in_a_crowd, complaints):
        test()
    if "POV_SANITIZED" not in os.environ:
        time_is_linear_in_models()
    if (SHARED / "golden").exists():
        the_authors_layout()
        forest_as_published()
        forest_as_the_script_prints()
    else:
        print("without ../shared: published numbers are not compared")
    print("\n".join(failures) or "all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
