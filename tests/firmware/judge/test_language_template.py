#!/usr/bin/python3
"""A language file from the template, filled in as a speaker would: checked, asked, found in the user's folder; each slip is named."""
import os
import pathlib
import re
import subprocess
import tempfile

POV = os.environ["POV"]
SCENE = """\
camera: {position_m: [0, -3, 1], look_at_m: [0, 0, 0]}
entities:
  - {id: ball, position_m: [0.5, 0.1, 0], size_m: 0.2, shape: sphere}
  - {id: car, position_m: [0, 0, 0], size_m: [0.8, 0.4, 0.3], front_deg: 180}
"""
# Esperanto, whose nouns need no forms.
WORDS = {"name": "Esperanto", "source": "this test", "none": "Ĉu {referent} estas {relation}?",
         "camera": "El la vidpunkto de la kamerao, ĉu {referent} estas {relation}?",
         "addressee": "El la vidpunkto de {viewer}, ĉu {referent} estas {relation}?",
         "relatum": "El la vidpunkto de {relatum}, ĉu {referent} estas {relation}?", "left_of": "maldekstre de {relatum}",
         "right_of": "dekstre de {relatum}", "in_front_of": "antaŭ {relatum}", "behind": "malantaŭ {relatum}", "present": "Ĉu estas {object}?"}
NOUNS = {"ball": "la pilko", "car": "la aŭto", "dog": "la hundo", "chair": "la seĝo", "woman": "la virino"}


def pov(*arguments, home, code=0):
    done = subprocess.run([POV, *map(str, arguments)], capture_output=True, text=True, env=os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": ""})
    assert done.returncode == code, (arguments, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def fill(template):
    filled = template.replace('yes: ["___"]', "yes: [jes]").replace('no: ["___"]', "no: [ne]")
    for key, words in WORDS.items():
        filled, count = re.subn(rf'^( *{key}: )"___"', lambda m: f'{m[1]}"{words}"', filled, flags=re.M)
        assert count == 1, key
    return re.sub(r'\[(\w+), "___"\]', lambda m: f'[{m[1]}, "{NOUNS.get(m[1], "la " + m[1] + "o")}"]', filled)


with tempfile.TemporaryDirectory() as name:
    home = pathlib.Path(name)
    (home / "scene.yaml").write_text(SCENE)
    template = pov("questions", "--language-template", "eo-mine", home=home)
    assert "convention: unstated" in template and "language \"de\" is there already" in pov("questions", "--language-template", "de", home=home, code=1)
    mine = home / "mine.yaml"
    mine.write_text(fill(template), encoding="utf-8")
    check = lambda code=0: pov("questions", "--languages", "--language-file", mine, home=home, code=code)
    assert re.search(r"eo-mine +Esperanto", check()), check()
    asked = pov("questions", home / "scene.yaml", "--pair", "ball:car", "--language", "eo-mine", "--language-file", mine, home=home)
    assert "Ĉu la pilko estas malantaŭ la aŭto?" in asked and "El la vidpunkto de la kamerao, ĉu la pilko estas dekstre de la aŭto?" in asked
    # Each check that the built-in languages have.
    for old, new, said in (('"la hundo"', '"___"', "left blank"), ("malantaŭ {relatum}", "antaŭ {relatum}", "is asked for two relations"),
                           ("[jes]", "[jes, ne]", '"ne" is not read as'), ("[ne]", "[ne, la]", 'is read as no'),
                           ("Ĉu {referent} estas {relation}?", "Ĉu  {referent} estas {relation}?", "two blanks"),
                           ("Ĉu {referent} estas {relation}?", "Ĉu io estas {relation}?", "it needs {referent.FORM}")):
        text = fill(template)
        assert old in text
        mine.write_text(text.replace(old, new, 1), encoding="utf-8")
        told = check(1)
        assert said in told and ("eo-mine" in told or "mine.yaml:" in told), (said, told)
    # In the user's folder every command knows it.
    folder = home / ".config/pov/languages"
    folder.mkdir(parents=True)
    (folder / "eo.yaml").write_text(fill(template), encoding="utf-8")
    assert "eo-mine" in pov("questions", "--languages", home=home)
    pov("export", "comfort-ball", "--images", 1, "--size", "96x72", "--languages", "eo-mine", "--dataset", "jsonl", home / "run", home=home)
    assert any("Ĉu la " in path.read_text(encoding="utf-8") for path in (home / "run").glob("*.jsonl"))
    (folder / "bad.yaml").write_text("languages: [{code: xx}]\n")
    assert "bad.yaml:1" in pov("questions", "--languages", home=home, code=1)
print("a filled template is asked in; each slip is named")
