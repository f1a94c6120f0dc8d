#!/usr/bin/python3
"""Shards under a real Slurm on this machine: docs/examples/layouts.sbatch as it is, its node killed amid it, requeued; nothing is lost or
doubled, and the answers are those of one process. Prints what a layout costs. cluster.py POV [LAYOUTS [TASKS]]; exits 77 without Slurm."""
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
os.environ["POV"] = str(pathlib.Path(sys.argv[1]).resolve())
sys.path.insert(0, str(HERE.parents[1] / "firmware" / "sweep"))
from sweep_peer import Server, assert_answered_once, pov, query, station

LAYOUTS = int(sys.argv[2]) if len(sys.argv) > 2 else 48
LONG_S = 4 * 3600  # a thousand layouts on a busy machine
TASKS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
SBATCH = HERE.parents[2] / "docs" / "examples" / "layouts.sbatch"
CONFIG = """ClusterName=pov
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=10
KillWait=2
StateSaveLocation={where}/state
SlurmdSpoolDir={where}/spool
SlurmctldPidFile={where}/slurmctld.pid
SlurmdPidFile={where}/slurmd.pid
SlurmctldLogFile={where}/slurmctld.log
SlurmdLogFile={where}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=1000 State=UNKNOWN
PartitionName=local Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def run(*command):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout.strip()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """slurmctld and slurmd, of this test only."""

    def __init__(self, where):
        self.where, self.host = where, socket.gethostname().split(".")[0]
        for name in ("state", "spool"):
            (where / name).mkdir()
        (where / "slurm.conf").write_text(CONFIG.format(where=where, host=self.host, cpus=os.cpu_count(), port=free_port(),
                                                        node_port=free_port()))
        os.environ["SLURM_CONF"] = str(where / "slurm.conf")
        run("slurmctld", "-f", os.environ["SLURM_CONF"])
        self.start_node()

    def start_node(self):
        run("slurmd", "-f", os.environ["SLURM_CONF"])
        self.wait(lambda: run("sinfo", "-h", "-o", "%T").rstrip("*") in ("idle", "mixed", "allocated"), 60, "the node is up")

    def wait(self, until, seconds, what):
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, f"{what}: not after {seconds} s\n{run('squeue', '-r')}\n{run('sinfo')}"
            time.sleep(0.3)

    def processes(self):
        """The node's own, and those of its tasks: they have this configuration in their environment."""
        sign, controller = f"SLURM_CONF={self.where}/".encode(), int((self.where / "slurmctld.pid").read_text())
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and int(entry.name) not in (os.getpid(), controller) and sign in (entry / "environ").read_bytes():
                    comm = (entry / "comm").read_text().strip()
                    if comm in ("slurmd", "slurmstepd", "pov", "slurm_script", "bash"):
                        yield int(entry.name)
            except OSError:
                pass

    def kill_node(self):
        """As when its power fails: at once, all of it."""
        killed = 0
        for _ in range(2):
            for pid in list(self.processes()):
                os.kill(pid, signal.SIGKILL)
                killed += 1
        return killed

    def stop(self):
        for pid in self.processes():
            os.kill(pid, signal.SIGTERM)
        os.kill(int((self.where / "slurmctld.pid").read_text()), signal.SIGTERM)


def images_in(out):
    return sum(1 for _ in out.glob("shard_*/images/*.png"))


def jobs():
    return json.loads("[" + ",".join(f'["{line}"]' for line in run("squeue", "-h", "-r", "-o", "%T %r %i").splitlines()) + "]")


def judge_in_one_process(where):
    path = station(where)
    started, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    pov("sweep", path, "--out", where / "whole", "--angles", LAYOUTS, "--quiet", timeout=LONG_S)
    took, cpu = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
    size = sum(file.stat().st_size for file in (where / "whole").rglob("*") if file.is_file())
    questions = query(where / "whole", "SELECT count(*) FROM questions")[0][0]
    print(f"one process: {LAYOUTS} layouts with {questions} questions drawn and judged in {took:.1f} s; a layout takes "
          f"{1000 * took / LAYOUTS:.0f} ms ({1000 * cpu / LAYOUTS:.0f} ms of CPU) and {size / LAYOUTS / 1000:.0f} kB", flush=True)
    return path


def run_array(where, cluster, path, servers):
    out = where / "out"
    out.mkdir()
    os.environ["PATH"] = f"{where}/bin:{os.environ['PATH']}"
    (where / "bin").mkdir()
    (where / "bin" / "pov").symlink_to(os.environ["POV"])
    started = time.monotonic()
    job = run("sbatch", "--parsable", f"--array=0-{TASKS - 1}", f"--export=ALL,LAYOUTS={LAYOUTS}", f"--output={out}/task_%a.txt", SBATCH,
              path, out, servers)
    cluster.wait(lambda: images_in(out) >= LAYOUTS // TASKS // 2, 600, "tasks have begun")
    before, killed = images_in(out), cluster.kill_node()
    assert killed >= 2, "there was no node to kill"
    print(f"after {time.monotonic() - started:.1f} s the node died with {before} of {LAYOUTS} images in {len(list(out.glob('shard_*')))} "
          f"shards", flush=True)
    dead = time.monotonic()
    cluster.wait(lambda: "down" in run("sinfo", "-h", "-o", "%T"), 120, "Slurm notices")
    cluster.start_node()
    for state, reason, task in (line[0].split(" ", 2) for line in jobs()):
        if reason in ("BeginTime", "None") and state == "PENDING": # Slurm lets those that are requeued wait for two minutes
            subprocess.run(["scontrol", "update", f"JobId={task}", "StartTime=now"], capture_output=True)
    print(f"it was back after {time.monotonic() - dead:.1f} s", flush=True)
    cluster.wait(lambda: not jobs(), 3600, "all tasks are done")
    tasks = [run("scontrol", "-o", "show", "job", f"{job}_{k}") for k in range(TASKS)]
    assert all("JobState=COMPLETED" in task for task in tasks), "\n".join(tasks)
    restarted = sum("Restarts=0" not in task for task in tasks)
    assert restarted >= 1, "no task was requeued"
    took = time.monotonic() - started
    print(f"{TASKS} tasks on {os.cpu_count()} processors, {restarted} of them requeued, were done after {took:.1f} s", flush=True)
    return out


def check(where, out):
    started = time.monotonic()
    pov("merge", where / "all", *sorted(out.glob("shard_*"), reverse=True), timeout=LONG_S)
    merged = time.monotonic() - started
    assert query(where / "all", "SELECT count(*), min(stop), max(stop) FROM images") == [(LAYOUTS, 0, LAYOUTS - 1)]
    columns = "stop, turn_deg, sha256"
    assert query(where / "all", f"SELECT {columns} FROM images ORDER BY id") == query(where / "whole", f"SELECT {columns} FROM images ORDER BY id")
    answered = assert_answered_once(where / "all")
    asked = "SELECT i.stop, q.key, q.gold, q.truth, r.p, r.text FROM results r JOIN questions q ON q.id = r.question JOIN images i ON" \
            " i.id = q.image WHERE r.counted ORDER BY 1, 2"
    assert query(where / "all", asked) == query(where / "whole", asked)
    started = time.monotonic()
    assert pov("compare", where / "all", "--json") == pov("compare", where / "whole", "--json")
    print(f"joined in {merged:.1f} s; {answered} questions are answered once each; scored twice in {time.monotonic() - started:.1f} s, equal "
          "to one process", flush=True)


def main():
    missing = [name for name in ("slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
    if missing or os.getuid() != 0:
        print(f"skipped: {'not root' if not missing else missing[0] + ' not found'} (apt install --no-install-recommends slurm-wlm munge)")
        return 77
    with tempfile.TemporaryDirectory(dir="/dev/shm" if LAYOUTS <= 100 else None) as folder:
        where = pathlib.Path(folder)
        path = judge_in_one_process(where)
        with Server(where / "whole", "--bias", "noisy") as server:
            servers = where / "servers.yaml"
            servers.write_text(f"vlm: {{endpoints: [{{url: '{server.url}', model: m}}]}}\n")
            started = time.monotonic()
            pov("compare", where / "whole", "--vlm", servers, timeout=LONG_S)
            print(f"one process: asked in {time.monotonic() - started:.1f} s", flush=True)
            cluster = Cluster(where)
            try:
                out = run_array(where, cluster, path, servers)
            except BaseException:
                print((where / "slurmctld.log").read_text()[-3000:], (where / "slurmd.log").read_text()[-2000:],
                      *(file.read_text()[-500:] for file in where.glob("out/task_*.txt")), sep="\n---\n", file=sys.stderr)
                raise
            finally:
                cluster.stop()
        check(where, out)
    return 0


sys.exit(main())
