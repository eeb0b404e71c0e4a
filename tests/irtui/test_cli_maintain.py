"""``irtui --maintain`` as a scheduler runs it: statuses, output, many at once, and signals."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

FETCHERS = """
import os

def _noted(name):
    with open(os.environ["CALLS"], "a") as calls:
        calls.write(name + "\\n")
    return [{"id": str(i), "text": f"{name} number {i}"} for i in range(30)]

def first():
    return _noted("first")

def second():
    return _noted("second")

def failing():
    raise OSError("the tracker does not answer")
"""


@pytest.fixture
def run(irtui, tmp_path):
    """The command line, with fetchers of its own and a file that counts their calls."""
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "fetchers_of_tests.py").write_text(FETCHERS)
    calls = tmp_path / "calls"
    calls.touch()
    irtui.env |= {"CALLS": str(calls)}
    path = os.pathsep.join([*sys.path, str(tmp_path / "modules")])

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return irtui(*words, PYTHONPATH=path)

    def start(*words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            irtui.command(*words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**irtui.env, "PYTHONPATH": path},
            cwd=tmp_path,
            start_new_session=True,
        )

    run.start = start
    run.calls = lambda: Counter(calls.read_text().split())
    return run


@pytest.fixture
def files(run, tmp_path):
    """Return a function that registers a corpus of files."""

    def make(name: str, count: int = 2, embedder: str = "light") -> Path:
        root = tmp_path / name
        root.mkdir()
        for number in range(count):
            (root / f"n{number:04d}.md").write_text(f"# Note {number}\n\nabout {name} {number}\n")
        done = run("register", name, "files", "--root", str(root), "--embedder", embedder)
        assert done.returncode == 0, done.stderr
        return root

    return make


@pytest.fixture
def records(run):
    """Return a function that registers a corpus of records."""

    def make(name: str, fetcher: str) -> None:
        words = ("--fetcher", f"fetchers_of_tests:{fetcher}", "--embedder", "light")
        done = run("register", name, "records", *words)
        assert done.returncode == 0, done.stderr

    return make


def lines(text):
    return [json.loads(line) for line in text.splitlines()]


def wait_for(condition, *, of):
    """Wait until ``condition()`` holds, as long as the process ``of`` is running."""
    deadline = time.monotonic() + 60
    while not condition():
        assert of.poll() is None, of.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)


class TestOutput:
    def test_nothing_registered(self, run):
        done = run("--maintain")
        assert (done.returncode, done.stdout) == (0, "")
        assert "nothing is registered" in done.stderr

    def test_one_line_a_corpus_as_text_and_json(self, run, files, records):
        files("notes", 3)
        records("tickets", "first")
        dry = run("--maintain", "--dry-run", "--jsonl")
        assert [line["outcome"] for line in lines(dry.stdout)] == ["would-run", "would-run"]
        assert not run.calls()
        done = run("--maintain")
        assert done.returncode == 0, done.stderr
        notes, tickets = done.stdout.splitlines()
        assert notes.startswith("notes: done: 3 added, 0 changed, 0 removed, 0 unchanged · ")
        assert tickets.startswith("tickets: done: 30 added, ")
        assert "\x1b" not in done.stdout + done.stderr
        again = run("--maintain")
        assert "tickets: skipped: not due (interval), next 20" in again.stdout
        dry = run("--maintain", "--dry-run").stdout.splitlines()
        assert dry[0].startswith("notes: skipped: nothing changed since 20")
        assert dry[1].startswith("tickets: skipped: not due (interval): every 24 h, next 20")
        array = json.loads(run("--maintain", "--due", "--json").stdout)
        assert [entry["name"] for entry in array] == ["notes", "tickets"]
        assert [entry["outcome"] for entry in array] == ["done", "skipped"]
        assert array[0]["unchanged"] == 3
        assert run.calls() == {"first": 1}
        forced = lines(run("--maintain", "--all", "--corpus", "tickets", "--jsonl").stdout)
        assert [entry["outcome"] for entry in forced] == ["done"]
        assert run.calls() == {"first": 2}

    def test_help(self, run):
        done = run("--maintain", "--help")
        assert done.returncode == 0 and "usage: irtui --maintain" in done.stdout
        assert "--max-seconds N" in done.stdout and "143 terminated" in done.stdout


class TestStatuses:
    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (("--due", "--all"), "--due and --all exclude each other"),
            (("--json", "--jsonl"), "--json and --jsonl exclude each other"),
            (("--max-seconds", "-1"), "--max-seconds must be at least 0"),
            (("--max-seconds", "soon"), "--max-seconds must be a number"),
            (("notes",), "does not know what to do with 'notes'"),
            (("--al",), "has no option --al"),
        ],
    )
    def test_usage(self, run, words, message):
        done = run("--maintain", *words)
        assert done.returncode == 2 and done.stdout == ""
        assert message in (json.loads(done.stderr)["message"] if "--json" in words else done.stderr)

    def test_an_unknown_corpus(self, run, files):
        files("notes")
        done = run("--maintain", "--corpus", "noets")
        assert done.returncode == 3 and "did you mean notes?" in done.stderr

    def test_one_failure_among_others(self, run, files, records):
        records("broken", "failing")
        files("notes")
        done = run("--maintain")
        assert done.returncode == 1
        broken, notes = done.stdout.splitlines()
        assert broken.startswith("broken: failed: ") and "does not answer" in broken
        assert notes.startswith("notes: done: ")
        assert run("--maintain", "--corpus", "broken").returncode == 1

    def test_out_of_time(self, run, files):
        files("notes")
        done = run("--maintain", "--max-seconds", "0", "--jsonl")
        assert done.returncode == 4
        assert [line["outcome"] for line in lines(done.stdout)] == ["left"]
        assert run("--maintain", "--max-seconds", "60").returncode == 0

    def test_locked(self, run, files, irtui, monkeypatch):
        from irengine.maintenance import corpus_lock

        files("notes")
        monkeypatch.setenv("IR_DATA_DIR", irtui.env["IR_DATA_DIR"])
        with corpus_lock("notes"):
            done = run("--maintain")
        assert done.returncode == 5
        assert (
            f"notes: locked: the corpus 'notes' is being maintained by process {os.getpid()}"
            in (done.stdout)
        )

    def test_a_reader_that_leaves(self, run, files):
        files("notes")
        process = run.start("--maintain")
        process.stdout.close()
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
        process.stderr.close()


@pytest.mark.parametrize("option", ["--jsonl", "--json", "--due"])
def test_no_user_interface_package_is_imported(run, irtui, files, records, option):
    files("notes", 3)
    records("broken", "failing")
    code = (
        "import sys; from irtui.cli import main; status = main(sys.argv[1:]);"
        "ui = ('rich', 'textual', 'prompt_toolkit', 'pygments', 'curses', 'readline');"
        "print([m for m in sys.modules if m.split('.')[0] in ui], status, file=sys.stderr)"
    )
    modules = str(irtui.base / "modules")
    done = subprocess.run(
        [sys.executable, "-c", code, "--maintain", option],
        capture_output=True,
        text=True,
        env={**irtui.env, "PYTHONPATH": os.pathsep.join([*sys.path, modules])},
        timeout=120,
    )
    assert done.stderr.splitlines()[-1] == "[] 1"
    assert "notes" in done.stdout and "broken" in done.stdout


@pytest.mark.slow
def test_twenty_at_once_do_each_piece_of_work_once(run, irtui, files, records, monkeypatch):
    from irengine.maintenance import runs
    from irengine.store import CorpusStore

    files("notes", 300)
    files("papers", 200)
    records("tickets", "first")
    records("mails", "second")
    names = ("notes", "papers", "tickets", "mails")
    processes = [run.start("--maintain", "--jsonl") for _ in range(20)]
    ended = [(*process.communicate(timeout=300), process.returncode) for process in processes]

    statuses = Counter(status for _, _, status in ended)
    assert set(statuses) <= {0, 5}, [err for _, err, status in ended if status not in (0, 5)]
    assert statuses[0] >= 1
    assert all(err == "" for _, err, _ in ended)
    assert run.calls() == {"first": 1, "second": 1}
    added = Counter()
    for out, _, _ in ended:
        for result in lines(out):
            assert result["outcome"] in ("done", "skipped", "locked"), result
            added[result["name"]] += result["added"]
            assert result["changed"] == result["removed"] == 0
    assert added == {"notes": 300, "papers": 200, "tickets": 30, "mails": 30}

    for kind in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"IR_{kind}_DIR", irtui.env[f"IR_{kind}_DIR"])
    for name in names:
        store = CorpusStore.local(name)
        assert len(store.builds()) == 1  # builds that found nothing to do leave no line
        assert store.verify().ok
    log = runs()
    assert sum(line["event"] == "run" for line in log) == 20
    assert len({line["run"] for line in log}) == 20
    assert run("--maintain").returncode == 0


class Service:
    """An embeddings service that stops answering, once, when it has been sent so many texts."""

    def __init__(self) -> None:
        self.texts = 0
        self.goal = 0
        self.reached, self.go_on = threading.Event(), threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
                service.texts += len(texts)
                if service.goal and service.texts >= service.goal:
                    service.reached.set()
                    service.go_on.wait(60)
                rows = [[float(len(text)), 1.0] for text in texts]
                data = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
                payload = json.dumps({"data": data}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.spec = f"http://127.0.0.1:{self.server.server_port}/v1#model"

    def stop_at(self, goal: int) -> None:
        self.goal = goal
        self.reached.clear()
        self.go_on.clear()


@pytest.fixture
def service():
    service = Service()
    thread = threading.Thread(target=service.server.serve_forever)
    thread.start()
    yield service
    service.go_on.set()
    service.server.shutdown()
    service.server.server_close()
    thread.join()


@pytest.mark.slow
def test_signals_in_the_middle_leave_everything_consistent(run, irtui, files, service, monkeypatch):
    """Stopped again and again, a run keeps what it had, and in the end no text was sent twice."""
    from irengine.maintenance import lock_holder, runs
    from irengine.store import CorpusStore

    files("small")
    files("large", 2500, embedder=service.spec)
    files("later")
    for kind in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"IR_{kind}_DIR", irtui.env[f"IR_{kind}_DIR"])
    sizes = []
    # "group" is how systemd ends a service: every process of it is told
    moments = [
        (300, signal.SIGTERM, 143),
        (1300, signal.SIGTERM, 143),
        (1700, signal.SIGINT, 130),
        (2300, "group", 143),
    ]
    for texts, number, status in moments:
        service.stop_at(texts)
        process = run.start("--maintain", "--jsonl")
        wait_for(service.reached.is_set, of=process)
        assert lock_holder("large").pid == process.pid
        if number == "group":
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.send_signal(number)
        assert process.stderr.readline().startswith("stopping; keeping what is done")
        service.go_on.set()
        out, err = process.communicate(timeout=60)

        assert process.returncode == status, err
        assert "Traceback" not in err
        told = {line["name"]: (line["outcome"], line["reason"]) for line in lines(out)}
        assert told["small"][0] == "done"
        assert told["large"] == ("left", "stopped: what was done is kept")
        assert told["later"] == ("left", "stopped: not begun")
        assert lock_holder("large") is None
        assert runs()[-1]["stopped"] and runs()[-1]["left"] == 2
        sizes.append(len(CorpusStore.local("large")))
        if sizes[-1]:
            assert_sound(run, "large")
    assert sizes == sorted(sizes)
    assert 0 < sizes[-1] < 2500

    service.stop_at(0)
    done = run("--maintain", "--jsonl")
    assert done.returncode == 0, done.stderr
    counts = {line["name"]: line["added"] + line["unchanged"] for line in lines(done.stdout)}
    assert counts == {"small": 2, "large": 2500, "later": 2}
    assert len(CorpusStore.local("large")) == 2500
    assert_sound(run, "large")
    assert service.texts == 2500


def assert_sound(run, name):
    done = run("verify", name)
    assert done.returncode == 0, done.stdout + done.stderr
