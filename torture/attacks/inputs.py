"""Every command with hostile words and files: noise, endless files, FIFOs, directories, control characters, numbers out of range.

Whatever is given, a command ends soon, in little memory, with a documented exit code and an error that says something; it prints no byte that a
terminal acts on. Nothing here knows what a right answer would be.
"""

from __future__ import annotations

import json
import os
import random
import threading
from pathlib import Path

from torture.case import Case, Found
from torture.certificate import Block, Certificate, Claim, envelope
from torture.rules.small import CHECKED, GO

NAMES = [
    "", " ", "tictactoe", "nogo 3x3", "kalah 2x2", "awari 2x2", "checkers 4x4", "morris 3", "loa 4x4", "chess KRK", "go 2x2", "graph",
    "nogo", "nogo 0x0", "nogo 1x1", "nogo 1x0", "nogo 99999999999999999999x3", "nogo 4294967296x1", "nogo -1x3", "nogo 3x3 3x3", "nogo 3X3",
    "nogo ３x３", "mnk 3x3x0", "mnk 3x3x18446744073709551616", "go 2x2 komi", "go 2x2 komi 1e9", "go 2x2 komi nan", "go 2x2 komi 99999",
    "kalah 0x1", "kalah 7x9", "kalah 6x255", "awari 1x0", "checkers 4x6", "checkers 3x3", "morris 4", "morris 3 swim", "loa 2x2", "loa 9x9",
    "chess", "chess K", "chess KK", "chess KQKQKQ", "chess KKK", "chess 99", "chess KXK", "chess kqk", "domineering 1x128", "domineering 99x99",
    "connect4 1x1", "connect4 20x3", "clobber 64x1", "breakthrough 3x3", "breakthrough 4x1", "graph /dev/zero", "graph /dev/null", "graph .",
    "graph /dev/full", "graph fifo", "graph noise", "graph sparse", "graph missing", "graph /proc/self/mem", "graph ;", "graph =;",
    "graph a first: a;", "graph a first = 99999999999;", "graph repetition 0; a first: b; b second: a", "graph values 1 -1; a first = 0",
    "graph start b; a first = 0", "graph a\x1b[31m first = 0;", "\x1b[2Jnogo 3x3", "nogo 3x3\x07", "nogo\n3x3", "nogo\t3x3", "\u202enogo 3x3",
    "nogo 3x3\x9b31m", "%s%n", "../../etc/passwd", "nogo3x3", "--help", "-", "--", "-x",
]  # fmt: skip
POSITIONS = [
    "", " ", "first", "../.. first", ".../.../... first", ".../.../... third", "x" * 100_000, "/" * 5000, "xxx/xxx/xxx first", "\x1b[31m first",
    "\x00", "..é/.../... first", "２/..", "B:W1:B1", "B:W99:B1", "B:WK1,K1:BK2", "B:W:B", "W:W1-8:B1", "8/8/8/8/8/8/8/8 w - - 0 1",
    "4k3/8/8/8/8/8/8/R3K3 w KQkq - 0 1", "4k3/8/8/8/8/8/8/R3K3 w - e3 0 1", "4k3/8/8/8/8/8/8/R3K3 b - - 99999999999 1", "9/8 w - - 0 1",
    "kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1", "1,1/1,1 0-0 first", "999999999999,0/0,0 0-0 first", "1,1/1,1 -1-3 first",
    "255,255/255,255 0-0 first", "2,2/2,2 0-0 first pass", "1,1,1/1 0-0 first", ".../.../... 3-3 first", ".../.../... 9-9 first",
    "..../..../..../.... first ko a1", "../.. first over", "../.. first passed passed", "../.. first ko z9", "--json", "-1",
]  # fmt: skip
MOVES = [
    "", " ", "a1", "a1 a1", "a1 b1 a2 b2 a3", "z99", "pass", "pass pass pass", "1-5", "1x10x3", "e1e9", "e7e8k", "a", "a b a b a b", "h99999999999",
    "a1 " * 20_000, "\x1b]0;x\x07", "é", "a1\x00", "x" * 50_000, "-", "--depth", "0", "-1",
]  # fmt: skip
NUMBERS = [
    "", "0", "1", "-1", "+1", "1e3", "1.5", "0x10", "18446744073709551615", "18446744073709551616", "9" * 400, "nan", "inf", "1k", "1K", "0k",
    "99999999999999k", "1M", "1G", "0M", "-1M", "1.5GiB", "1GB ", "64M", "0B", "1m", "0s", "1ms", "99999999h", "1h30m", "1h-30m", "%", "100%",
    "101%", "-5%", "5 %", "\x1b[31m", "１",
]  # fmt: skip
FILES = [
    "noise", "sparse", "fifo", "folder", "missing", "/dev/zero", "/dev/null", "/dev/full", "/proc/self/mem", "empty", "loop", "text", "\x1b[31m",
    "a\nb", "x" * 300, "/", ".", "..", "", "huge-header.proof", "sparse.proof", "shown.proof", "good.proof", "deep.proof", "random.slice.d",
]  # fmt: skip
ENGINES = [
    "auto", "minimax", "dfpn:sum=weak,epsilon=1/8,gc=smalltree", "pns:sum=top0", "pn2:size=logistic/1/1e99", "pp:" + "," * 5000, "lambda",
    "montecarlo", "ab-tt-mc:table-entries=18446744073709551616", "nobody", "", "dfpn:\x1b[1m=1",
]  # fmt: skip


class Inputs:
    name = "inputs"
    quick_cases = 130

    def case(self, case: Case) -> None:
        rng = case.rng
        files(case)
        words, stdin = command(rng)
        feeder = Feeder(case.folder / "fifo") if any(word.endswith("fifo") for word in words) else None
        try:
            outcome = case.zermelo(
                *[os.fsencode(word) if "\x00" not in word else word.replace("\x00", "\x01").encode() for word in words],
                stdin=stdin,
                seconds=90,
                memory=700 << 20,
                environment={"RUST_BACKTRACE": "0"},
            )
        finally:
            if feeder:
                feeder.end()
        case.counts["zermelo " + (words[0] if words and words[0].isalpha() else "with no command")] += 1
        if outcome.code in (1, 2) and not outcome.err.strip():
            raise Found(f"exit code {outcome.code} without a word about why")
        if outcome.code == 2 and len(outcome.err) > 20_000:
            raise Found(f"an error of {len(outcome.err):,} bytes")
        if "--json" in words and "--help" not in words and outcome.code in (0, 3) and words[0] not in ("check", "probe", "games", "store"):
            for line in outcome.text.splitlines():
                json.loads(line)
        self.leftovers(case)

    @staticmethod
    def leftovers(case: Case) -> None:
        """A failed command leaves no half of a file behind."""
        for path in case.folder.rglob("*.part"):
            raise Found(f"{path.relative_to(case.folder)} was left behind")


def command(rng: random.Random) -> tuple[list[str], bytes]:
    """A command with its words, mostly with one hostile thing at a time, as several would stop at the first."""
    hostile = rng.random() < 0.75
    game = (
        rng.choice(NAMES)
        if hostile and rng.random() < 0.5
        else rng.choice([*CHECKED, *GO, "kalah 3x2", "checkers 4x4", "morris 3", "chess KRK"])
    )
    limits = ["--nodes", "2k", "--memory", "64M"]
    position = ["--position", rng.choice(POSITIONS)] if rng.random() < 0.3 else []
    moves = ["--moves", rng.choice(MOVES)] if rng.random() < 0.3 else []
    where = [game, *position, *moves] if rng.random() < 0.9 else [*game.split(" "), *position, *moves]
    js = ["--json"] if rng.random() < 0.5 else []
    number, file, other = rng.choice(NUMBERS), rng.choice(FILES), rng.choice(FILES)
    out = rng.choice(
        ["out", "folder/out", "missing/out", "folder", "/dev/full", "/proc/out", "", "a\x1b[31mb", "good.proof"]
    )
    option = rng.choice(
        [
            "--time",
            "--threads",
            "--memory",
            "--nodes",
            "--seed",
            "--playouts",
            "--table-entries",
            "--by",
            "--without",
            "--leaves",
            "--db",
        ]
    )
    value = {
        "--by": rng.choice(ENGINES),
        "--db": file,
        "--without": rng.choice(["", "x", "order,order", "knowledge,"]),
    }.get(option, number)
    if option == "--threads" and value not in ("0", "-1", "nan", "+1", "1"):
        value = rng.choice(["0", "1e3", "18446744073709551616", "2"])
    kind = rng.randrange(24)
    if kind < 4:
        rest = list(limits)
        if option in ("--nodes", "--memory"):
            at = rest.index(option)
            del rest[at : at + 2]
        if option in ("--nodes", "--playouts") or value.endswith(("G", "GiB", "k")):
            rest += [] if option == "--time" else ["--time", "1s"]
        if option == "--memory" and value in ("1G", "1.5GiB"):
            value = "100M"
        return ["solve", *where, *rest, option, value, *js], b""
    if kind < 6:
        return [
            "solve",
            *where,
            *limits,
            "--values",
            *js,
            *(["--svg", out] if rng.random() < 0.5 else ["--proof", out]),
        ], b""
    if kind < 8:
        return ["show", *where, *js, *(["--svg", out] if rng.random() < 0.3 else [])], b""
    if kind < 12:
        memory = [
            "--memory",
            rng.choice(["64M", "1M", "64M", "64M", number if number not in ("1G", "1.5GiB") else "64M"]),
        ]
        return [
            "check",
            file,
            *([other] if rng.random() < 0.3 else []),
            *memory,
            *js,
            *(["--db", file] if rng.random() < 0.2 else []),
        ], b""
    if kind < 14:
        more = rng.choice([[], ["--out", out], ["--replies", number], ["--positions", number]])
        return ["explain", file, *more, *js], b""
    if kind == 14:
        pieces = rng.choice(["1", "2", number])
        return [
            "build",
            *where[:1],
            "--out",
            out,
            "--pieces",
            pieces,
            "--memory",
            "64M",
            rng.choice(["--estimate", "--estimate", "--json"]),
        ], b""
    if kind == 15:
        return [rng.choice(["verify", "stats"]), file, *js], b""
    if kind == 16:
        batch = ["--batch", rng.choice([file, "-"])] if rng.random() < 0.6 else [rng.choice(POSITIONS)]
        return ["probe", file, *batch, *js], rng.choice(POSITIONS).encode()[:5000] + b"\n"
    if kind == 17:
        more = rng.choice(
            [["--claims", file], ["--seed-line", rng.choice(MOVES)], ["--audit", number], ["--thresholds", number], []]
        )
        return [
            "prove",
            *where,
            "--store",
            rng.choice(["new", file]),
            "--time",
            "1s",
            "--memory-per-job",
            "16M",
            *more,
            *js,
        ], b""
    if kind == 18:
        what = rng.choice(["info", "check", "export", "compact", "forget", "nothing", ""])
        return ["store", file, what, *js, *(["--source", "x\x1b[31m"] if what == "forget" else [])], b""
    if kind == 19:
        return ["certify", "--store", file, "--proof", out, "--time", "1s"], b""
    if kind == 20:
        depth = rng.choice(["0", "1", "2", number if len(number) > 3 or not number.isdigit() else "1"])
        return ["perft", *where, "--depth", depth if depth not in ("1k", "1K") else "3", *js], b""
    if kind == 21:
        typed = b"\n".join(
            rng.choice([*MOVES, "help", "undo", "quit", "?", "\x1b[A", "show"]).encode()[:3000] for _ in range(8)
        )
        return ["play", *where, "--time", "500ms", "--memory", "64M"], typed[:50_000] + rng.choice(
            [b"\n", b"", b"\xff\xfe\n", b"\x00\n"]
        )
    if kind == 22:
        return ["tree", *where, "--steps", rng.choice(["0", "5", "-1", "x", ""]), "--out", out], b""
    return rng.choice(
        [
            ([], b""), (["nothing"], b""), (["\x1b[31m"], b""), (["games", *js], b""), (["engines", value, *js], b""), (["completions", number], b""), (["man", "--out", out], b""),
            (["explore", "--listen", rng.choice([number, "127.0.0.1:99999", "256.0.0.1:0", "x:0", "localhost", "\x1b[31m:1"])], b""),
            (["explore", game, "--proof", file, "--listen", "nowhere:0"], b""), (["bench", "nothing"], b""), (["help", number], b""),
            (["work", "--farm", rng.choice(["nats://127.0.0.1:1", "http://x", "", "nats://\x1b[31m", "nats://127.0.0.1:99999"]),
              "--memory", number, "--threads", "0"], b""),
            (["solve", "tictactoe", "--" + number], b""), (["solve"] + ["x"] * 3000, b""), (["-" + number], b""),
        ]
    )  # fmt: skip


def files(case: Case) -> None:
    """The files that hostile words name, in the case's folder. Large ones are sparse: they take no room on the disk."""
    rng = case.rng
    case.file("noise", rng.randbytes(rng.choice([1, 100, 70_000])))
    case.file("empty", b"")
    case.file("text", "a first: b\n" * 10)
    with open(case.folder / "sparse", "wb") as file:
        file.truncate(3 << 29)
    os.mkfifo(case.folder / "fifo")
    (case.folder / "folder").mkdir()
    (case.folder / "loop").symlink_to("loop")
    golden = case.bench.repository / "proofcheck" / "golden" / "tictactoe.proof"
    case.file("good.proof", golden.read_bytes())
    # A certificate that shows something else than it is, if a terminal acts on it.
    shown = Certificate(
        "tictactoe\x1b[2J",
        "\x1b]0;x\x07",
        0,
        [Claim("first", 1, [Block(["x\x1b[31m"], [2])])],
        {"made": {"by": "\x1b[1Aproved\x9b"}},
    )
    case.file("shown.proof", shown.to_bytes())
    case.file("deep.proof", envelope(b'{"made":' + b"[" * 200_000, b""))
    block = Block([".../.../... first"], [], b"\x78\x9c", {"bytes": (3 << 29) - 5000, "positions": 1, "size": 1 << 40})
    large = Certificate("tictactoe", ".../.../... first", 0, [Claim("first", 0, [block])]).to_bytes()
    with open(case.folder / "sparse.proof", "wb") as file:
        file.write(large)
        file.truncate(3 << 29)
    head = b"zermelo\n" + (2).to_bytes(4, "little") + (0xFFFFFFFF).to_bytes(4, "little")
    with open(case.folder / "huge-header.proof", "wb") as file:
        file.write(head)
        file.truncate(5 << 30)
    folder = case.folder / "random.slice.d"
    folder.mkdir()
    (folder / "0.slice").write_bytes(rng.randbytes(500))
    with open(folder / "all.positions", "wb") as file:
        file.truncate(1 << 30)


class Feeder:
    """Noise for a FIFO, as long as somebody reads: without a writer an open would wait for ever, and no program can help that."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._feed, daemon=True)
        self.thread.start()

    def _feed(self) -> None:
        while not self.over.is_set():
            try:
                handle = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:  # nobody reads yet
                self.over.wait(0.01)
                continue
            try:
                for _ in range(100):
                    os.write(handle, b"noise \x1b[31m ; = \n" * 100)
            except OSError:
                pass
            finally:
                os.close(handle)

    def end(self) -> None:
        self.over.set()
        self.thread.join()


ATTACK = Inputs()
