#!/usr/bin/python3
"""What is recorded of a sweep, of a study's trials, and of what people ask a running station."""
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import zmq

sys.path[:0] = [str(pathlib.Path(__file__).parents[1] / "sweep"), str(pathlib.Path(__file__).parents[1] / "study")]
from sweep_peer import ENVIRONMENT, POV, Server, folder, pov, query, station
import test_study


def told(recording):
    info = json.loads(pov("info", recording, "--json"))
    return info, {topic["topic"]: topic["messages"] for topic in info["topics"]}


def table(recording, name):
    with folder() as tables:
        pov("export", recording, "--csv", tables)
        with open(f"{tables}/{name}.csv", newline="") as file:
            return list(csv.DictReader(file))


def markers(recording):
    return [row["text"] for row in table(recording, "log") if row["severity"] == "marker"]


def a_sweep_is_recorded_with_questions_and_answers(where):
    run, recording = where / "run", where / "sweep.mcap"
    with Server(run) as server:
        pov("sweep", station(where), "--out", run, "--vlm", server.url, "--model", "perfect", "--angles", 4, "--quiet",
            "--record", recording)
    info, topics = told(recording)
    assert (topics["/camera/image"], topics["observation"], info["session"]["video"]) == (4, 4, "false"), info
    lines = markers(recording)
    assert sum(line.startswith("stop ") for line in lines) == 4, lines
    answered = {str(id): (prompt, text) for id, prompt, text in
                query(run, "SELECT q.id, q.prompt, r.text FROM questions q JOIN results r ON r.question = q.id")}
    asked = [line for line in lines if line.startswith("question ")]
    assert len(asked) == len(answered) > 10
    for line in asked:
        prompt, text = answered[line.split()[1].rstrip(":")]
        assert prompt[:300] in line and line.endswith(f"-> answered: {text}"), line
    # its images are those of the log, and are judged anew to the same
    evidence = [json.loads(row[0]) for row in query(run, "SELECT evidence FROM images ORDER BY id")]
    anew = pov("run", where / "world/simulated.yaml", "--images", recording, "--no-publish", "--json").splitlines()
    replayed = [json.loads(line) for line in pov("replay", recording, "--json").splitlines()]
    assert replayed == evidence and len(anew) == 4


def an_answer_that_contradicts_the_geometry_opens_the_black_box(where):
    boxed = station(where, record="{path: boxes, when: disagreement, before_s: 60, after_s: 0}")
    for name, bias, is_recorded in ("right", [], False), ("wrong", ["--bias", "always-yes"], True):
        with Server(where / name, *bias) as server:
            pov("sweep", boxed, "--out", where / name, "--vlm", server.url, "--model", name, "--angles", 3, "--quiet")
        files = list((where / "world/boxes").glob("pov_*.mcap"))
        assert bool(files) == is_recorded, (name, files)
    assert "the geometry" in told(files[0])[0]["session"]["because"]


def trials_of_a_study_are_recorded_until_their_participant_withdraws(where):
    at, protocol, log = test_study.make_station(where), test_study.make_protocol(where), where / "study"
    arguments = [POV, "study", "run", at, protocol, "--log", log, "--participant", "P01", "--record"]
    lines = "look\nconsent\nstart anyway\nsaid hand me the green ball\npick green_ball\nmark pointed\nstop\nlook\nquit\n"
    done = subprocess.run([*map(str, arguments)], input=lines, capture_output=True, text=True, timeout=250, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    recording = log / "recordings/P01.1.mcap"
    _, topics = told(recording)
    images = query(log, "SELECT count(*) FROM images")[0][0]
    assert 1 <= topics["/camera/image"] <= images + 1, (topics, images)  # of the trial, not of the looks around it
    lines = [line.partition(": ")[2] for line in markers(recording)]
    assert [line.split()[0] for line in lines if "instruction" not in line] == ["start", "said", "pick", "mark", "stop"], lines
    assert any(line.endswith("hand me the green ball") for line in lines)
    asks = table(recording, "asks")
    assert (asks[-1]["utterance"], asks[-1]["pick"]) == ("hand me the green ball", "green_ball"), asks
    subprocess.run([*map(str, arguments), "--resume"], input="quit\n", text=True, capture_output=True, timeout=250, env=ENVIRONMENT)
    assert not (log / "recordings/P01.2.mcap").exists()  # nothing was shown
    pov("study", "forget", log, "P01")
    assert not recording.exists()


def what_is_asked_is_recorded_and_replayed(where):
    endpoint, recording = f"ipc://{where}/ask", where / "asked.mcap"
    at = station(where, ask=f"{{endpoint: \"{endpoint}\"}}")
    process = subprocess.Popen([POV, "run", at, "--publish", f"ipc://{where}/wire", "--quiet", "--rate", "20", "--loop", "--record", recording])
    context = zmq.Context()
    asking = context.socket(zmq.REQ)
    asking.connect(endpoint)
    replies = []
    for utterance in "is the red ball left of the blue ball", "give me the red ball":
        asking.send_json({"utterance": utterance, "speaker": None})
        assert asking.poll(20000)
        replies.append(json.loads(asking.recv()))
        time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    asks = table(recording, "asks")
    assert [(row["utterance"], row["say"]) for row in asks] == [(reply["utterance"], reply["say"]) for reply in replies], asks
    assert told(recording)[1]["ask"] == 2
    listening = context.socket(zmq.SUB)
    listening.connect(f"ipc://{where}/again")
    listening.subscribe("")
    replay = subprocess.Popen([POV, "replay", recording, "--publish", f"ipc://{where}/again", "--wait", "1", "--rate", "50"],
                              stderr=subprocess.DEVNULL)
    heard = []
    while listening.poll(2000):
        heard.append(listening.recv_multipart()[0].split(b"\x1f")[-1])
    assert replay.wait(60) == 0 and heard.count(b"ask") == 2, heard
    context.destroy(linger=0)


def images_of_a_recording_are_those_of_the_folder(where):
    """Whatever takes a folder of images takes the recording of it."""
    pov("sim", "comfort-ball", "--images", 8, "--quiet", "--out", where / "world")
    for i, image in enumerate(sorted((where / "world/images").iterdir())):
        image.rename(image.with_name(f"{45 * i:03d}.png"))  # an angle, for `enrol`
    at, images, recording = where / "world/station.yaml", where / "world/images", where / "images.mcap"
    pov("run", at, "--no-publish", "--quiet", "--record", recording)
    network = pathlib.Path(os.environ["POV_SOURCE"]) / "share/models/worlds.yaml"
    judged = {}
    for source in images, recording:
        made = where / f"of_{source.name}"
        made.mkdir()
        pov("enrol", "duck", "--images", source, "--angle-from-name", "--out", made / "duck.pov")
        pov("sweep", at, "--images", source, "--out", made / "sweep", "--quiet")
        judged[source] = ([pov("model", "run", network, source) if network.exists() else "",
                           pov("calib", "camera", "--images", source, "--board", "chessboard:10x7:25mm", "--out", "none", code=1)]
                          + [(made / name).read_bytes() for name in ("duck.pov", "duck_views.png")]
                          + query(made / "sweep", "SELECT sha256, name, phi_deg FROM images ORDER BY stop"))
    assert "0 of 8 images" in judged[images][1] and len(judged[images]) == 12, judged[images][1:2]
    assert judged[images] == judged[recording]


def main():
    for test in (a_sweep_is_recorded_with_questions_and_answers, an_answer_that_contradicts_the_geometry_opens_the_black_box,
                 trials_of_a_study_are_recorded_until_their_participant_withdraws, what_is_asked_is_recorded_and_replayed,
                 images_of_a_recording_are_those_of_the_folder):
        with folder() as name:
            test(pathlib.Path(name))
        print("passed:", test.__name__, flush=True)


if __name__ == "__main__":
    main()
