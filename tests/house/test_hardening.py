#!/usr/bin/env python3
"""The program and the service are as hard to exploit as the compiler, the linker and systemd can make them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

POV, SOURCE = os.environ["POV"], pathlib.Path(os.environ["POV_SOURCE"])
EXPOSURE_MAX = 2.5  # of 10, systemd's sum; 9.6 is a service without any setting


def run(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def main():
    if b"__asan_init" in pathlib.Path(POV).read_bytes():
        return 77  # another build
    header, segments, dynamic, symbols = (run("readelf", option, POV).stdout for option in ("-hW", "-lW", "-dW", "-sW"))
    wanted = {"a program of any address (PIE)": "DYN" in header, "GNU_RELRO": "GNU_RELRO" in segments,
              "BIND_NOW": re.search(r"BIND_NOW|\bNOW\b", dynamic), "stack protector": "__stack_chk_fail" in symbols,
              "checked buffers (FORTIFY)": re.search(r"__(memcpy|snprintf|sprintf|printf)_chk", symbols),
              "no executable stack": re.search(r"GNU_STACK( +0x\w+)+ +RW ", segments)}
    missing = [name for name, found in wanted.items() if not found]
    unit = (SOURCE / "tools/install/pov@.service.in").read_text()
    for key in "MemoryMax", "TasksMax", "LimitNOFILE", "NoNewPrivileges", "DynamicUser":
        if not re.search(rf"^{key}=", unit, re.M):
            missing.append(f"{key} of the service")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "pov@x.service")
        path.write_text(unit.replace("@CMAKE_INSTALL_PREFIX@/@CMAKE_INSTALL_BINDIR@/pov", "/bin/true"))
        said = run("systemd-analyze", "security", "--offline=true", "--no-pager", path).stdout
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
    print(exposure[0] if exposure else said)
    if not exposure or float(exposure[1]) > EXPOSURE_MAX:
        missing.append(f"systemd's exposure of at most {EXPOSURE_MAX}")
    if missing:
        print("missing: " + ", ".join(missing), file=sys.stderr)
    return 1 if missing else 0


sys.exit(main())
