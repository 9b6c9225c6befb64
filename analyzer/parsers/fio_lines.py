"""The lines of fio's normal output, as patterns. Indentation is never relied on: pastes lose it."""

from __future__ import annotations

import re
from typing import Final

_FIGURE: Final = r"([\d.]+[kMG]?)"

COMMAND: Final = re.compile(
    r"(?:.{0,120}?[$#>%:]\s*)?(?:sudo\s+)?(?:\S{0,200}/)?(?P<command>fio(?:\.exe)?\s+--?[a-z]\S*.*)"
)
JOB_HEADER: Final = re.compile(r"(?P<name>\S.{0,99}?): \(g=\d+\): (?P<options>rw=.*)")
HEADER_RW: Final = re.compile(r"rw=(\w+)")
HEADER_ENGINE: Final = re.compile(r"ioengine=([\w-]+)")
HEADER_DEPTH: Final = re.compile(r"iodepth=(\d+)")
HEADER_BLOCK: Final = re.compile(r"\(W\)\s*[\w.]+-([\w.]+)|bs=[\w.]+-[\w.]+/[\w.]+-([\w.]+)|bs=[\w.]+-([\w.]+)")
VERSION: Final = re.compile(r"fio-\d+\.\d+\S*")
PROGRESS: Final = re.compile(r"Jobs: \d+ \(f=\d+\)")
PROGRESS_IOPS: Final = re.compile(r"\[(?:r=[\d.]+[kMG]?,)?w=([\d.]+[kMG]?)\s*(?:,t=\S+\s*)?IOPS\]")
PROGRESS_BW: Final = re.compile(r"\[(?:r=[^\],]*,)?w=([\d.]+[kKMGT]?i?B/s)")
JOB_RESULT: Final = re.compile(
    r"(?P<name>\S.{0,99}?): \(groupid=(?P<group>\d{1,6}), jobs=(?P<jobs>\d{1,6})\): "
    r"err=\s*(?P<error>-?\d{1,6})(?P<rest>.*)"
)
FINISHED: Final = re.compile(r"pid=\d+: (\w{3} +\w{3} +\d+ [\d:]{8} \d{4})")
DIRECTION: Final = re.compile(r"(read|write|trim)\s*:\s*(?=.*(?:IOPS|iops)=)(.*)")
IOPS: Final = re.compile(r"(?:IOPS|iops)=\s*([\d.]+[kMG]?)")
BANDWIDTH: Final = re.compile(r"(?:BW|bw)=\s*([\d.]+[kKMGT]?i?B/s)")
RUNTIME: Final = re.compile(r"(?:/|runt=\s*)(\d{1,12})\s*msec")
SYNC_BLOCK: Final = re.compile(r"fsync/fdatasync/sync_file_range(?:/\w+)*\s*:")
LATENCY: Final = re.compile(
    rf"(sync|slat|clat|lat)\s*\((nsec|usec|msec|sec)\)\s*:\s*min=\s*{_FIGURE}\s*,\s*max=\s*{_FIGURE}\s*,"
    rf"\s*avg=\s*{_FIGURE}"
)
PERCENTILES: Final = re.compile(r"(?:.*?\b(sync|slat|clat|lat) )?percentiles \((nsec|usec|msec|sec)\)\s*:")
PERCENTILE: Final = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)th=\[\s*(\d{1,18})\s*\]")
IOPS_SAMPLES: Final = re.compile(r"iops\s*:\s*min=.*?\bavg=\s*([\d.]+)")
ISSUED: Final = re.compile(r"issued\s*(?:rwts?)?\s*:\s*total=(?:\d+,(\d+)|r=\d+/w=(\d+))")
TARGET_DEPTH: Final = re.compile(r"latency\s*:\s*target=.*\bdepth=(\d{1,9})")
SUMMARY: Final = re.compile(r"Run status group \d+|Disk stats \(read/write\)")
DISK: Final = re.compile(r"(\S{1,100}): ios=(\d{1,18})/(\d{1,18}),")
DISK_QUEUE: Final = re.compile(r"in_queue=(\d{1,18})")
DISK_UTIL: Final = re.compile(r"util=\s*([\d.]+)%")
TERSE: Final = re.compile(r"[2-5];(fio-\d+\.\d+[^;]*);([^;]*);\d+;(\d+);")

CONTEXT_LINES: Final = re.compile(
    r"Starting \d+ (?:process|thread)|.{1,100}: Laying out IO file|fio: |bw\s*\(\s*\w+/s\)\s*:|cpu\s*:\s*usr="
    r"|IO depths\s*:|submit\s*:\s*0=|complete\s*:\s*0=|lat \((?:nsec|usec|msec)\)\s*:|(?:READ|WRITE|TRIM):\s"
    r"|issued\s*\w*\s*:|latency\s*:\s*target=|aggr(?:ios|merge|ticks)=|iops\s*:\s*min=|bw=|run=\d+"
)
"""Lines of fio that carry nothing needed here."""

NEUTRAL: Final = re.compile(r"(?:\.\s?){2,}\.?|…+|\d{1,4}|[-=~`*]{3,}\w{0,12}|\[\.\.\.\]")
"""Elisions, the line numbers of a web page's code listing, code fences."""

FOREIGN_MACHINE: Final = re.compile(
    r"\s*(?:[{\[<\"]|\+-|\d{4}[-/]\d\d[-/]\d\d|\d\d/\d\d/\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|Linux \S+ \(|avg-cpu|Device|# (?:HELP|TYPE)|\w+=\"|[\d.]+:\d+,|procs -|[IWEF]\d{4} |\d+\s+\d+ \w+ \d"
    r"|┌)"
)
"""Begins like the output of another program: never swallowed as prose inside a run."""
