#!/usr/bin/python3
"""pov experiment: a seed's order, placements that are wrong, what a kill leaves, one report; each plan that is wrong is refused by line."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "sweep"))
import sweep_peer

PLAN = """title: Two balls
seed: {seed}
repetitions: {repetitions}
angles: {angles}
size: 64x64
models:
  - {{simulated: egocentric, model: one}}
  - {{simulated: noisy, model: two}}
scenes:
  - id: car
    world: comfort-car
    things: [{{id: car, at_m: [{x}, 0], within_m: 0.5}}]
    variants: [{{id: plain}}]
    facings:
      - {{id: left, world: car-left, things: [{{id: car, front_deg: 270}}]}}
      - {{id: right, world: car-right, things: [{{id: car, front_deg: 90}}]}}
  - {{id: ball, world: comfort-ball}}
"""
NAMES = {"car.plain.left", "car.plain.right", "ball"}


def plan(folder, name="plan.yaml", seed=7, repetitions=1, angles=4, x=0):
    (folder / name).write_text(PLAN.format(seed=seed, repetitions=repetitions, angles=angles, x=x))
    return folder / name


def order(path):
    return [line.split()[1] for line in sweep_peer.pov("experiment", "plan", path).splitlines()]


def a_seed_decides_the_order(folder):
    by_seed = [order(plan(folder, seed=seed, repetitions=3)) for seed in range(8)]
    assert by_seed[3] == order(plan(folder, seed=3, repetitions=3)), "the same seed, the same order"
    assert len({tuple(names) for names in by_seed}) > 4, "seeds differ"
    for names in by_seed: # each repetition is a block of all placements
        for r in range(3):
            assert {name.removesuffix(f".r{r + 1}") for name in names[3 * r:3 * r + 3]} == NAMES, names
    assert len({tuple(name.rsplit(".", 1)[0] for name in names[3 * r:3 * r + 3]) for names in by_seed for r in range(3)}) == 6, "every order comes"


def what_stands_wrong_is_refused(folder):
    out = folder / "wrong"
    for more in ([], ["--no-wait"]): # nobody can mend a simulated world
        said = sweep_peer.pov("experiment", "run", plan(folder, "wrong.yaml", x=3), "--out", out, *more, "--only", 3, code=1)
        assert re.search(r"sweep car.plain.\w+.r1: not placed as the plan says: car: move it .*300 cm.* a simulated world cannot be mended by hand", said), said
        assert "goes on" not in said, said
    assert not list(out.glob("car*/log.sqlite")), "nothing was swept"
    assert "missing" in subprocess.run([sweep_peer.POV, "experiment", "status", out], capture_output=True, text=True).stdout


def answers_of(out):
    return {path.parent.name: sweep_peer.query(path.parent, "SELECT question, model, count(*) FROM results WHERE counted GROUP BY 1, 2 ORDER BY 1, 2")
            for path in sorted(out.glob("*/log.sqlite"))}


def children_of(pid):
    return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ends(pid, within_s=5):
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True # nobody waits for it
        except OSError:
            return True
        time.sleep(0.02)
    return False


def a_kill_ends_its_programs(folder):
    out = folder / "ended"
    process = subprocess.Popen([sweep_peer.POV, "experiment", "run", plan(folder, "long.yaml", angles=3000), "--out", out],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=sweep_peer.ENVIRONMENT)
    end = time.monotonic() + 30
    while not list(out.glob("*/log.sqlite")) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    children = children_of(process.pid)
    process.kill() # it alone
    process.wait()
    assert children and all(ends(child) for child in children), "the sweep goes on alone"


def a_stop_says_how_much_is_missing(folder):
    process = subprocess.Popen([sweep_peer.POV, "experiment", "run", folder / "long.yaml", "--out", folder / "ended"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=sweep_peer.ENVIRONMENT)
    end = time.monotonic() + 30
    while not children_of(process.pid) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    process.terminate()
    said = process.communicate(timeout=30)[1]
    assert process.returncode == 1 and "stopped with 3 of 3 sweeps missing; the same command goes on" in said, said


def a_kill_loses_nothing(folder):
    out, path = folder / "killed", plan(folder, angles=8)
    command = [sweep_peer.POV, "experiment", "run", path, "--out", out]
    first = order(path)[0]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=sweep_peer.ENVIRONMENT)
    end = time.monotonic() + 60
    while not (out / order(path)[1] / "log.sqlite").exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    status = subprocess.run([sweep_peer.POV, "experiment", "status", out], capture_output=True, text=True)
    assert status.returncode == 1 and "1 of 3 sweeps are done" in status.stdout and "begun" in status.stdout and "missing" in status.stdout, status
    before = answers_of(out)[first]
    sweep_peer.pov("experiment", "run", path, "--out", out)
    after = answers_of(out)
    assert {name for name in after} == {f"{name}.r1" for name in NAMES} and after[first] == before, "what is done is not done again"
    assert all(count == 1 for rows in after.values() for _, _, count in rows), "each model answers each question once"
    assert all(len({model for _, model, _ in rows}) == 2 for rows in after.values())
    assert "3 of 3 sweeps are done" in sweep_peer.pov("experiment", "status", out)
    page = (out / "report.html").read_text()
    assert "3 files together" in page and "Two balls" in page and "SIMULATED" in page.upper()
    figure = next(iter((out / "figures").glob("*.svg")))
    assert "Made by: pov report " in figure.with_suffix(".txt").read_text(), "a figure names its command"
    said = sweep_peer.pov("experiment", "run", plan(folder, "other.yaml", seed=8, angles=8), "--out", out, code=1)
    assert "was begun with another plan" in said, said
    path.write_text("# a remark\n" + path.read_text().replace("seed: 7", "seed:   7   # of the order"))
    sweep_peer.pov("experiment", "run", path, "--out", out) # says the same


def a_folder_that_is_removed_is_swept_again(folder):
    out, path = folder / "killed", plan(folder, angles=8)
    gone = f"{order(path)[1]}"
    shutil.rmtree(out / gone)
    said = subprocess.run([sweep_peer.POV, "experiment", "status", out], capture_output=True, text=True)
    assert said.returncode == 1 and "2 of 3 sweeps are done" in said.stdout and re.search(f"missing +{gone}", said.stdout), said
    sweep_peer.pov("experiment", "run", path, "--out", out)
    assert "3 of 3 sweeps are done" in sweep_peer.pov("experiment", "status", out)
    assert sorted((out / "done").read_text().split()) == sorted(order(path)), "each is listed once"


def images_taken_before_are_swept(folder):
    sweep_peer.pov("sim", "comfort-car", "--images", 5, "--bodies", "own", "--out", folder / "before")
    text = ("station: before/station.yaml\nmodels: [{simulated: egocentric}]\nscenes: [{id: car}]\n"
            "questions: [forest]\norder: [normal, reverse]\nflip: true\ncircular: true\n")
    (folder / "before.yaml").write_text(text)
    sweep_peer.pov("experiment", "run", folder / "before.yaml", "--out", folder / "before_out")
    images = sweep_peer.query(folder / "before_out" / "car.r1", "SELECT count(*) FROM images")
    assert images == [(5,)], images
    asked = sweep_peer.query(folder / "before_out" / "car.r1",
                             "SELECT DISTINCT columns ->> '$.order', columns ->> '$.flip', columns ->> '$.circular' FROM questions")
    assert {a[0] for a in asked} == {"normal", "reverse"} and {a[1] for a in asked} == {"no", "yes"} and {"0", "1"} <= {a[2] for a in asked}, asked


def answers_of_another_paper_alone_are_reported(folder):
    """So small a ball is not found: there is no pair, and COMFORT's only questions are whether a thing is there."""
    sweep_peer.pov("sim", "comfort-car", "--images", 2, "--size", "64x64", "--bodies", "own", "--out", folder / "small")
    for questions, said in (("comfort, vsr", r"VSR"), ("comfort", r"report")):
        text = f"station: small/station.yaml\nquestions: [{questions}]\nmodels: [{{simulated: egocentric}}]\nscenes: [{{id: car}}]\n"
        (folder / "small.yaml").write_text(text)
        out = folder / f"small_{len(questions)}"
        sweep_peer.pov("experiment", "run", folder / "small.yaml", "--out", out)
        assert re.search(said, (out / "report.html").read_text()), questions


def a_plan_that_is_wrong_is_refused_by_its_line(folder):
    good = PLAN.format(seed=1, repetitions=1, angles=4, x=0)
    for wrong, said in ((good.replace("repetitions: 1", "repetition: 1"), r"bad.yaml:3: .*repetition.*repetitions"),
                        (good.replace("id: right", "id: left"), r"bad.yaml:16: .*duplicate id 'left'"),
                        (good.replace("    world: comfort-car\n", ""), r"bad.yaml:10: .*expected 'station', here or at the top of the file, or 'world'"),
                        (good.replace("simulated: egocentric, ", ""), r"bad.yaml:7: .*expected 'vlm: FILE\|URL' or 'simulated: BIAS'"),
                        (good + "languages: [en, xx]\n", r"bad.yaml:18: languages\[1\]: .*xx"),
                        (good + "order: [reverse]\n", r"bad.yaml:1: .*add forest"),
                        (good + "order: [backward]\n", r"bad.yaml:18: order: .*backward"),
                        (good + "questions: [vsrr]\n", r"bad.yaml:18: questions: .*vsrr"),
                        (good.replace("64x64", "96"), r"bad.yaml:5: size: takes a size such as 640x480"),
                        (good.replace("64x64", "10000x10000"), r"bad.yaml:5: size: takes a size"),
                        (good.replace("comfort-ball", "comfort-bal"), r"bad.yaml:17: scenes\[1\].world: no world 'comfort-bal'.*did you mean 'comfort-ball'"),
                        (good.replace("world: car-left", "world: car-lef"), r"bad.yaml:15: scenes\[0\].facings\[0\].world: .*car-lef"),
                        (good.replace("    variants", "    pairs: cup:car\n    variants"), r"bad.yaml:13: scenes\[0\].pairs: the world comfort-car has no 'cup'"),
                        (good.replace("simulated: noisy", "simulated: nosy"), r"bad.yaml:8: models\[1\].simulated: .*noisy"),
                        (good.replace("simulated: noisy", "vlm: nowhere.yaml"), r"bad.yaml:8: models\[1\].vlm: .*nowhere.yaml"),
                        (good.replace("model: two", "model: one"), r"bad.yaml:8: models\[1\]: .*is the same model"),
                        (re.sub(r"models:\n.*\n.*\n", "", good), r"bad.yaml.*models.*who is asked"),
                        (good.replace("world: comfort-ball", "station: nowhere.yaml"), r"bad.yaml:17: scenes\[1\].station: .*nowhere.yaml")):
        (folder / "bad.yaml").write_text(wrong)
        for command in (["plan", folder / "bad.yaml"], ["run", folder / "bad.yaml", "--out", folder / "bad"]):
            complaint = sweep_peer.pov("experiment", *command, code=1)
            assert re.search(said, complaint) and "goes on" not in complaint, (said, complaint)
    assert not (folder / "bad").exists(), "nothing is begun"
    assert "is not an experiment's folder" in sweep_peer.pov("experiment", "status", folder / "nothing", code=1)


def main():
    with sweep_peer.folder() as name:
        folder = pathlib.Path(name)
        a_seed_decides_the_order(folder)
        a_plan_that_is_wrong_is_refused_by_its_line(folder)
        what_stands_wrong_is_refused(folder)
        a_kill_ends_its_programs(folder)
        a_stop_says_how_much_is_missing(folder)
        a_kill_loses_nothing(folder)
        a_folder_that_is_removed_is_swept_again(folder)
        images_taken_before_are_swept(folder)
        answers_of_another_paper_alone_are_reported(folder)


if __name__ == "__main__":
    main()
