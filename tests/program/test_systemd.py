#!/usr/bin/python3
"""`pov@NAME` under a systemd of its own, in namespaces: root's keys, their renewal, sockets under /run/pov, two stations at once. Needs root."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

POV = pathlib.Path(os.environ["POV"])
SOURCE = pathlib.Path(os.environ["POV_SOURCE"])
SYSTEMD = pathlib.Path("/lib/systemd/systemd")
# A root that nothing outside sees: what is written is gone with the namespace.
BOOT = """set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"; mkdir "$1"/upper "$1"/work "$1"/root "$1"/out
R="$1"/root
mount -t overlay overlay -o lowerdir=/,upperdir="$1"/upper,workdir="$1"/work $R
mount -t proc proc $R/proc; mount -t tmpfs tmpfs $R/run; mount -t tmpfs tmpfs $R/tmp; mount --rbind /dev $R/dev
mount -t sysfs sysfs $R/sys; mount -t cgroup2 cgroup2 $R/sys/fs/cgroup
ip link set lo up
mkdir -p $R/etc/pov $R/result; mount --bind "$2" $R/result
cp "$3" $R/usr/bin/pov; cp "$2"/unit $R/lib/systemd/system/pov@.service; cp -r "$2"/etc/* $R/etc/pov; chmod -R a+rX $R/etc/pov
rm -rf $R/etc/systemd/system; mkdir $R/etc/systemd/system
printf '[Unit]\\nAllowIsolate=yes\\nWants=try.service\\n' >$R/etc/systemd/system/try.target
printf '[Unit]\\nDefaultDependencies=no\\n[Service]\\nType=oneshot\\nExecStart=/bin/bash /result/try\\nStandardOutput=file:/result/log\\nStandardError=inherit\\nExecStopPost=/bin/systemctl --force poweroff\\n' >$R/etc/systemd/system/try.service
cd $R; mkdir -p old; pivot_root . old; umount -l /old
exec env -i container=pov PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=try.target --log-target=null --show-status=no </dev/null
"""
LAUNCH = """set -e
mount --make-rprivate /; mount -t cgroup2 cgroup2 "$1"; mkdir -p "$1"/$CGROUP; echo $$ >"$1"/$CGROUP/cgroup.procs; umount "$1"
exec unshare --fork --kill-child --pid --mount --cgroup --uts --ipc --net bash -c "$BOOT" boot "$1" "$2" "$3"
"""
CLEAN = """mount --make-rprivate /; mount -t cgroup2 cgroup2 "$1" && find "$1"/$CGROUP -depth -type d -exec rmdir {} +"""
TRY = """
say() { echo "== $1"; shift; "$@" 2>&1; echo "-> $?"; }
pov keys new robot --keys /etc/pov/keys >/dev/null; pov keys new laptop --keys /root/laptop >/dev/null
cp /root/laptop/self.key /root/laptop.key; cp /etc/pov/keys/self.key /root/robot.key; pov keys allow /root/robot.key --keys /root/laptop >/dev/null
say keyed systemctl start pov@keyed
say local systemctl start pov@local
say secret stat -c '%a %U %n' /etc/pov/keys/self.key_secret /run/pov/keyed/keys/self.key_secret
say ipc timeout 20 pov listen --connect ipc:///run/pov/local/wire --count 1
say stranger timeout 20 pov listen --connect tcp://127.0.0.1:5570 --server robot --keys /root/laptop --count 1
pov keys allow /root/laptop.key --keys /etc/pov/keys >/dev/null
say reload systemctl reload pov@keyed
sleep 1.5
say friend timeout 20 pov listen --connect tcp://127.0.0.1:5570 --server robot --keys /root/laptop --count 1
pov keys remove laptop --keys /etc/pov/keys >/dev/null
say removed systemctl reload pov@keyed
say peers ls /run/pov/keyed/keys/peers
say other systemctl stop pov@keyed
say stays timeout 20 pov listen --connect ipc:///run/pov/local/wire --count 1
say stop systemctl stop pov@local
say left ls /run/pov
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


class Service(unittest.TestCase):
    def test_a_service_reads_roots_keys_and_has_a_place_for_sockets(self):
        with tempfile.TemporaryDirectory(prefix="pov-systemd-") as name:
            folder = pathlib.Path(name)
            mount, shared = folder / "mount", folder / "shared"
            mount.mkdir()
            shared.mkdir()
            subprocess.run([POV, "sim", "comfort-ball", "--images", "2", "--quiet", "--out", shared / "etc"], check=True)
            text = (shared / "etc/station.yaml").read_text().replace("folder: {path: images}", "folder: {path: images, rate_hz: 5, loop: true}")
            (shared / "etc/keyed.yaml").write_text(text + 'publish: {endpoint: "tcp://*:5570", keys: /etc/pov/keys}\n')
            (shared / "etc/local.yaml").write_text(text + 'publish: {endpoint: "ipc:///run/pov/local/wire"}\n')
            (shared / "unit").write_text(re.sub(r"@\w+@/@\w+@", "/usr", (SOURCE / "tools/install/pov@.service.in").read_text()).replace('"/usr/pov"', '"/usr/bin/pov"'))
            (shared / "try").write_text(TRY)
            environment = {**os.environ, "BOOT": BOOT, "CGROUP": f"pov-test-{os.getpid()}"}
            done = subprocess.run(["unshare", "--mount", "bash", "-c", LAUNCH, "launch", mount, shared, POV], capture_output=True, text=True, timeout=200,
                                  env=environment, check=False)
            subprocess.run(["unshare", "--mount", "bash", "-c", CLEAN, "clean", mount], capture_output=True, env=environment, check=False)
            if not (shared / "log").exists():
                skip(f"no systemd can be started here: {done.stderr.strip()[-300:]}")
            log = (shared / "log").read_text()
        said = {}
        for part in log.split("== ")[1:]:
            word, _, rest = part.partition("\n")
            text, _, code = rest.rpartition("-> ")
            said[word] = (int(code.split()[0]), text)
        for word in ("keyed", "local", "ipc", "reload", "friend", "removed", "other", "stays", "stop"):
            self.assertEqual(said[word][0], 0, log)
        self.assertRegex(said["secret"][1], r"600 root /etc/pov/keys/self.key_secret\n600 (?!root)\S+ /run/pov/keyed/keys/self.key_secret")
        self.assertIn("does not allow this machine's key", said["stranger"][1])
        self.assertEqual(said["peers"], (0, ""))
        self.assertEqual(said["left"], (0, ""))


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("namespaces need root")
    if not SYSTEMD.exists() or not shutil.which("unshare"):
        skip("systemd is not installed")
    unittest.main()
