"""What `pov judge --json` makes of a scene that a test drew."""
import importlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def library():
    """The Python package, which judges hundreds of scenes in the time of one start of the program (tests/python/test_package.py: alike);
    None where Python cannot load libpov: a sanitized one, one of another machine, or without cffi."""
    path = pathlib.Path(os.environ["POV"]).with_name("libpov.so")
    if "POV_SANITIZED" in os.environ or not path.exists() or importlib.util.find_spec("cffi") is None:
        return None
    os.environ["POV_LIBRARY"] = str(path)
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "python"))
    sys.dont_write_bytecode = True
    return importlib.import_module("pov")


def judged(scene, *options):
    """The program's object of a scene, as docs/SCENE.md has them, but as an object."""
    with tempfile.NamedTemporaryFile("w", prefix="pov-judged-", suffix=".yaml") as file:
        json.dump(scene, file)
        file.flush()
        run = subprocess.run([os.environ["POV"], "judge", file.name, "--json", *options], capture_output=True, text=True,
                             timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)
