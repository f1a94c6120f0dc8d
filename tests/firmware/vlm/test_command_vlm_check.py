#!/usr/bin/python3
"""pov vlm check against pov vlm-sim: what it says of servers that look, do not look, are dumb, are not there."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

POV = os.environ["POV"]
KEY = "sk-verysecret-42"
os.environ.update(http_proxy="http://127.0.0.1:1", no_proxy="")  # which this machine's own servers need not


class Sim:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([POV, "vlm-sim", "--json", *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(300) == 0


def check(folder, url, *arguments, status=0, more=""):
    config = folder / "vlm.yaml"
    config.write_text(f"vlm:\n  endpoints:\n    - {{url: '{url}', model: m, key_env: POV_TEST_KEY, price_prompt: 1, "
                      f"price_answer: 1}}\n  pause_first_s: 0.01\n{more}")
    done = subprocess.run([POV, "vlm", "check", config, "--json", *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False, env=os.environ | {"POV_TEST_KEY": KEY})
    assert done.returncode == status, done
    assert KEY not in done.stdout + done.stderr, done
    return json.loads(done.stdout)


def save(folder):
    subprocess.run([POV, "vlm", "check", "--save", folder / "probes", "--only-save"], check=True)
    return folder / "probes"


def a_server_that_looks_is_well(folder):
    with Sim("--truth", save(folder)) as sim:
        told = check(folder, sim.url)
    assert told["well"] and told["asked"] == told["answered"] == told["right"] == 20, told
    assert told["scored"]["tokens"] == 20 and abs(told["mass_min"] - 0.98) < 1e-9, told
    assert told["served_model"] == "pov-vlm-sim (simulated)"
    canary = told["canary"]
    assert canary["verdict"] == "looks" and canary["again"]["change_max"] == 0, canary
    assert abs(canary["blank"]["change_mean"] - 0.45) < 1e-9, canary  # two of four answers turn from 0.95 to 0.05
    assert abs(told["cost"] - (told["prompt_tokens"] + told["answer_tokens"]) / 1e6) < 1e-12, told


def a_server_that_ignores_images_is_found_out(folder):
    probes = save(folder)
    with Sim("--truth", probes, "--ignore-image") as sim:
        assert check(folder, sim.url, status=1)["canary"]["verdict"] == "ignores"
    with Sim("--truth", probes, "--bias", "always-yes") as sim:
        assert check(folder, sim.url, status=1)["canary"]["verdict"] == "ignores"


def words_are_scored_where_there_are_no_probabilities(folder):
    with Sim("--truth", save(folder), "--no-logprobs") as sim:
        told = check(folder, sim.url)
        assert told["scored"]["text"] == 20 and told["mass_min"] is None and told["right"] == 20, told
        told = check(folder, sim.url, more="  logprobs: off\n")
        assert told["scored"]["text"] == 20


def thoughts_are_not_scored_wherever_they_are(folder):
    probes = save(folder)
    with Sim("--truth", probes) as sim:
        plain = check(folder, sim.url)
    for where in "think", "reasoning", "reasoning-content", "harmony":
        with Sim("--truth", probes, "--thinking", where) as sim:
            told = check(folder, sim.url)
        assert told["right"] == 20 and told["scored"]["tokens"] == 20 and told["mass_min"] == plain["mass_min"], (where, told)


def servers_that_answer_nothing_are_told(folder):
    for how, words in (("key", "Incorrect API key"), ("credit", "Insufficient credits"), ("quota", "exceeded your current quota"),
                       ("daily", "12.0 hours"), ("large", "too large"), ("image", "5 MB"), ("inside", "CUDA"), ("timeout", "A timeout")):
        with Sim("--refuse-all", how) as sim:
            told = check(folder, sim.url, status=1)
        assert told["answered"] == 0 and words in told["cause"], (how, told)
    with Sim("--truth", save(folder), "--call-tools") as sim:
        assert "calls a tool ('zoom')" in check(folder, sim.url, status=1)["cause"]
    with Sim("--truth", save(folder), "--bias", "wrong-language") as sim:
        told = check(folder, sim.url, status=1)
        assert told["reply"] in ("Ja", "Nein"), told


def refusals_and_absence_are_told(folder):
    with Sim() as sim:
        told = check(folder, sim.url, status=1)
        assert told["canary"]["verdict"] == "unclear" and told["scored"]["refused"] == 20, told
        assert "refuses" in told["cause"], told
    told = check(folder, "http://127.0.0.1:1/v1", status=1)
    assert told["answered"] == 0 and "connect" in told["cause"], told


def a_url_does_for_a_file(folder):
    run = lambda *arguments: subprocess.run([POV, "vlm", "check", *arguments], capture_output=True, text=True, check=False)
    with Sim("--truth", save(folder)) as sim:
        done = run(sim.url, "--model", "m")
        assert done.returncode == 0 and "looks at the image" in done.stdout, done
        for url, words in ((sim.url + "/chat/completions", "leave out /chat/completions"),
                           (sim.url[len("http://"):], "a URL begins with http"),
                           (sim.url.replace("/v1", "/v2"), "/v2/chat/completions: HTTP status 404")):
            done = run(url, "--model", "m")
            assert done.returncode == 1 and words in done.stdout + done.stderr, done


def ones_own_images_can_be_asked_about(folder):
    probes = save(folder)
    prompt = json.loads((probes / "vlm_truth.jsonl").read_text().splitlines()[0])["prompt"]
    mine = folder / "mine"
    with Sim("--truth", probes) as sim:
        told = check(folder, sim.url, "--image", probes / "image.png", "--question", prompt, "--save", mine)
        assert told["asked"] == 4 and told["right"] is None, told
        for name in "blank.png", "mirrored.png":
            assert (mine / name).read_bytes() == (probes / name).read_bytes(), name
        assert check(folder, sim.url, "--image", probes / "image.png", "--other", probes / "other.png", "--question",
                     prompt)["asked"] == 5


def wrong_use_is_told(folder):
    for arguments, status, words in ((["x.yaml", "--image", "a.png"], 2, "--question"), ([], 2, "name one file"),
                                     (["--only-save"], 2, "--save"), (["missing.yaml"], 1, "missing.yaml")):
        done = subprocess.run([POV, "vlm", "check", *arguments], capture_output=True, text=True, check=False, cwd=folder)
        assert done.returncode == status and words in done.stderr, done


def main():
    for test in (a_server_that_looks_is_well, a_server_that_ignores_images_is_found_out,
                 words_are_scored_where_there_are_no_probabilities,
                 thoughts_are_not_scored_wherever_they_are, servers_that_answer_nothing_are_told, refusals_and_absence_are_told,
                 a_url_does_for_a_file, ones_own_images_can_be_asked_about, wrong_use_is_told):
        with tempfile.TemporaryDirectory() as name:
            test(pathlib.Path(name))
            print(test.__name__.replace("_", " "))
    return 0


if __name__ == "__main__":
    sys.exit(main())
