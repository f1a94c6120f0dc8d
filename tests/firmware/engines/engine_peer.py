"""A stand-in for VLMEvalKit and lmms-eval: reads their datasets by their rules and writes their result files. The model behind it is
pov's simulated one, asked over HTTP."""
import base64
import csv
import http.client
import json
import math
import os
import pathlib
import re
import sys
import types
import urllib.parse

import pandas
import yaml

TAKEN_FOR_NOTHING = {"", "NA", "N/A", "null", "nan", "None"} # pandas makes these "missing"
NAMES_OF_OTHERS = ("MME", "POPE", "Hallusion", "AMBER", "VSR-zeroshot", "MMMU", "MMT") # scored by rules of their own
csv.field_size_limit(sys.maxsize)


class Model:
    """The simulated model. It is asked each question once, with the probabilities of its tokens."""

    def __init__(self, url):
        self.host = urllib.parse.urlparse(url).netloc
        self.connection = http.client.HTTPConnection(self.host)
        self.known = {}

    def ask(self, image, prompt, tokens=256):
        if (image, prompt) not in self.known:
            address = "data:image/png;base64," + base64.b64encode(image).decode()
            body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": address}},
                                                              {"type": "text", "text": prompt}]}],
                    "logprobs": True, "top_logprobs": 5, "max_tokens": tokens}
            try:
                reply = self.post(json.dumps(body))
            except (OSError, http.client.HTTPException): # a connection that rested too long
                self.connection.close()
                reply = self.post(json.dumps(body))
            self.known[image, prompt] = json.loads(reply)["choices"][0]
        return self.known[image, prompt]

    def post(self, body):
        self.connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
        return self.connection.getresponse().read()

    def text(self, image, prompt):
        return self.ask(image, prompt)["message"]["content"]

    def loss(self, image, prompt, choice):
        """The loss of a choice of one token."""
        likely = self.ask(image, prompt)["logprobs"]["content"][0]["top_logprobs"]
        logs = [one["logprob"] for one in likely if one["token"].strip().lower() == choice.lower()]
        assert logs, (choice, likely)
        return -max(logs) - math.log(sum(math.exp(log - max(logs)) for log in logs))


def bare(prompt):
    """What models with a prompt of their own make of it: the paper's words. Those before them are the system's."""
    return prompt.rsplit("\n\n", 1)[-1]


# ---- VLMEvalKit ----

def read_table(path):
    """By pandas as VLMEvalKit reads it, and by Python's csv as a check of the quoting."""
    table = pandas.read_csv(path, sep="\t")
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == len(table) and list(rows[0]) == list(table.columns)
    assert not any(name in path.name for name in NAMES_OF_OTHERS)
    assert [int(row["index"]) for row in rows] == list(range(len(rows)))
    return rows


def image_of(rows, row):
    while len(row["image"]) <= 64: # the index of a row that has it
        row = rows[int(row["image"])]
    return base64.b64decode(row["image"], validate=True)


def read_yes_no(answer):
    words = re.sub(r"[^\w\s]", " ", answer.lower()).split()
    return {(True, False): "Yes", (False, True): "No"}.get(("yes" in words, "no" in words), "Unknown")


def read_letter(answer, options):
    words = re.sub(r"[^\w\s]", " ", answer).split()
    letters = {word for word in words[-4:] if word in options}
    if len(letters) == 1:
        return letters.pop()
    if len(answer) > 2 * sum(map(len, options.values())):
        return "Z"
    named = [letter for letter, text in options.items() if text.lower() in answer.lower()]
    return named[0] if len(named) == 1 else "Z"


def run_vlmevalkit(folder, out, name, model, spoil=lambda i, text: text):
    """Returns its own scores by table: the share of right answers."""
    where = pathlib.Path(out) / name / "T20260101-120000"
    where.mkdir(parents=True)
    scores = {}
    for path in sorted(pathlib.Path(folder).glob("*.tsv")):
        rows, right = read_table(path), 0
        for i, row in enumerate(rows):
            assert row["answer"] not in TAKEN_FOR_NOTHING, row
            answer = model.text(image_of(rows, row), bare(row["question"]))
            row["prediction"] = spoil(i, answer)
            if path.stem.endswith("_yn"):
                assert row["answer"] in ("Yes", "No")
                right += read_yes_no(answer) == row["answer"]
            elif path.stem.endswith("_mcq"):
                options = {c: row[c] for c in "ABCDEFGH" if row[c] not in TAKEN_FOR_NOTHING}
                assert row["answer"] in options and "hint" in row
                right += read_letter(answer, options) == row["answer"]
        scores[path.stem] = right / len(rows)
        table = pandas.DataFrame([{key: value for key, value in row.items() if key != "image"} for row in rows])
        table.to_csv(where / f"{name}_{path.stem}.tsv", sep="\t", index=False, quoting=csv.QUOTE_ALL)
    return where, scores


# ---- lmms-eval ----

def load_task(path):
    """A task's YAML with its functions, found as !function FILE.NAME."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    pil = types.ModuleType("PIL") # the stand-in's images are their files' bytes
    pil.Image = types.SimpleNamespace(open=lambda file: types.SimpleNamespace(convert=lambda mode: pathlib.Path(file).read_bytes()))
    sys.modules["PIL"] = pil
    module = types.ModuleType("utils")
    module.__file__ = os.path.abspath(path.parent / "utils.py")
    exec(compile((path.parent / "utils.py").read_text(), module.__file__, "exec"), module.__dict__)
    loader.add_constructor("!function", lambda l, node: getattr(module, l.construct_scalar(node).split(".", 1)[1]))
    return yaml.load(path.read_text(), loader)


def run_lmms_eval(folder, out, name, model, ranks=3):
    """Lines come rank by rank; the last rank is padded with a question that another has, too."""
    where = pathlib.Path(out) / name
    where.mkdir(parents=True)
    scores = {}
    for path in sorted(pathlib.Path(folder).glob("*.yaml")):
        task = load_task(path)
        data = path.parent / task["dataset_kwargs"]["data_files"][task["test_split"]]
        docs = [json.loads(line) for line in data.read_text().splitlines()]
        lines, results = [], []
        order = [i for rank in range(ranks) for i in range(rank, len(docs), ranks)] + [0]
        for i in order:
            doc = docs[i]
            image, = task["doc_to_visual"](doc)
            text = re.sub(r"\{\{(\w+)\}\}", lambda m: doc[m[1]], task["doc_to_text"])
            if task["output_type"] == "generate_until":
                assert task["generation_kwargs"]["temperature"] == 0
                responses = [model.text(image, bare(text))]
                kept = responses[0]
            else:
                losses = [model.loss(image, bare(text), choice) for choice in task["doc_to_choice"]]
                responses = [(loss, loss == min(losses)) for loss in losses]
                kept = [[str(loss), str(greedy)] for loss, greedy in responses]
            result = task["process_results"](doc, responses)
            results.append(result)
            lines.append({"doc_id": i, "input": text, "target": str(doc[task["doc_to_target"]]), "filtered_resps": kept,
                          "doc_hash": "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", "token_counts": None,
                          **result})
        (where / f"20260101_120000_samples_{task['task']}.jsonl").write_text("".join(json.dumps(line, ensure_ascii=False) + "\n"
                                                                                     for line in lines))
        metric = task["metric_list"][0]
        scores[task["task"]] = metric["aggregation"]([result[metric["metric"]] for result in results])
    return where, scores
