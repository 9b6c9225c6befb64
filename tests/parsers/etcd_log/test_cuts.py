"""Cut, damaged and re-typed lines: a value is read whole or not at all."""

from __future__ import annotations

from .feeding import Seen, events, read, scan
from .wrapping import CHANGED, DIALECTS, SYNC, capnslog, short, zap

LONG = zap("slow fdatasync", took="1m11.33s", term=3112, **{"expected-duration": "1s"})
TERM = zap("elected leader", term=3112, **{"raft-leader": "8e9e05c52164694d"})


def cut_everywhere(texts: list[str], marks: list[str], start: int) -> list[Seen]:
    """Events of every cut of every text, each cut a file of its own."""
    cuts = [text[:cut] + mark for mark in marks for text in texts for cut in range(start, len(text) + (mark == ""))]
    return events(read({str(number): text for number, text in enumerate(cuts)}))


def test_a_cut_zap_line_never_gives_another_value() -> None:
    plain = [LONG, zap(CHANGED), TERM]
    found = cut_everywhere([*plain, *(line for text in plain for line in short(text))], ["", ">", "…", "..."], 0)
    assert {e.took_s for e in found} == {None, 71.33}
    assert {e.term for e in found} == {-1, 3112}
    assert {len(e.peer) for e in found if e.peer} == {16}


def test_a_text_line_the_pager_cut_gives_no_half_values() -> None:
    texts = [capnslog("raft", CHANGED), *DIALECTS["console"], *DIALECTS["std"], *short(SYNC), *short(CHANGED)]
    found = cut_everywhere(texts, [">", "…", "..."], 20)
    assert {e.took_s for e in found} <= {None, 1.33}
    assert {e.term for e in found} <= {-1, 3112}, "3112 only where the cut is behind it"
    assert {e.kind for e in found} == {"slow-fdatasync", "leader-changed"}


def test_a_cut_line_still_tells_its_event() -> None:
    found, artifact = scan(LONG[: LONG.index("expected")] + ">")
    assert [(e.kind, e.took_s) for e in found] == [("slow-fdatasync", 71.33)]
    assert artifact.rejected == 1 and artifact.understood == 0


def test_hard_wrapped_lines_are_joined() -> None:
    for text in (LONG, capnslog("wal", SYNC)):
        for width in (60, 80, 100):
            pieces = [text[at : at + width] for at in range(0, len(text), width)]
            found, artifact = scan("\n".join(pieces))
            assert [(e.kind, e.line) for e in found] == [("slow-fdatasync", 1)], pieces
            assert artifact.lines == len(pieces)
            assert found[0].took_s in (71.33, 1.33)


def test_html_of_wikis() -> None:
    escaped = LONG.replace("&", "&amp;").replace('"', "&quot;")
    assert [(e.kind, e.took_s) for e in scan(escaped)[0]] == [("slow-fdatasync", 71.33)]
    numeric = LONG.replace('"', "&#34;")
    assert [(e.kind, e.took_s) for e in scan(numeric)[0]] == [("slow-fdatasync", 71.33)]
    indented = "&nbsp;&nbsp;" + capnslog("wal", SYNC)
    assert [e.kind for e in scan(indented)[0]] == ["slow-fdatasync"]


def test_odd_blanks_and_quotes() -> None:
    assert [e.kind for e in scan(capnslog("wal", SYNC).replace(" ", "\xa0"))[0]] == ["slow-fdatasync"]
    assert [e.kind for e in scan("\ufeff" + LONG)[0]] == ["slow-fdatasync"]
    curly = LONG.replace('{"', "{“").replace('"', "”")
    assert [(e.kind, e.took_s) for e in scan(curly)[0]] == [("slow-fdatasync", 71.33)]
    genuine = zap("slow fdatasync", took="1.33s", note="he said &quot;stop&quot; “here”")
    assert [(e.kind, e.took_s) for e in scan(genuine)[0]] == [("slow-fdatasync", 1.33)]


def test_markdown_escapes_the_bar_of_capnslog() -> None:
    line = capnslog("wal", SYNC)
    assert [(e.kind, e.took_s, e.ts_ns) for e in scan(line.replace("|", "\\|"))[0]] == [
        (e.kind, e.took_s, e.ts_ns) for e in scan(line)[0]
    ]


def test_terminal_leftovers() -> None:
    coloured = "\x1b[33m" + LONG.replace("warn", "\x1b[1mwarn\x1b[0m") + "\x1b[K\r"
    assert [e.kind for e in scan(coloured)[0]] == ["slow-fdatasync"]
    assert [e.kind for e in scan("\x1b]0;root@n1\x07" + LONG)[0]] == ["slow-fdatasync"]
    assert [e.kind for e in scan("Jobs: 1 (f=1)\rJobs: 2\r" + capnslog("wal", SYNC))[0]] == ["slow-fdatasync"]


def test_merged_repeats_are_counted() -> None:
    text = capnslog("rafthttp", "the clock difference against peer 255a2e4092d561fb is too high [1.2s > 1s]")
    assert scan(text + " [merged 15 repeated lines in 1.33s]")[1].log.merged == 15  # type: ignore[union-attr]


def test_headings_of_journalctl_are_no_log_lines() -> None:
    head = "-- Logs begin at Tue 2020-10-20 10:00:00 UTC, end at Wed 2020-10-21 12:00:00 UTC. --"
    boot = "-- Boot 1d2f3c4b5a69788796a5b4c3d2e1f001 --"
    found, artifact = scan("\n".join([head, *short(SYNC), boot, "-- Reboot --", *short(CHANGED)]))
    assert [e.kind for e in found] == ["slow-fdatasync", "leader-changed"]
    assert artifact.not_relevant == 3 and artifact.rejected == 0
