"""Every parser, in the order they are asked. Adding a format is one line here."""

from __future__ import annotations

from analyzer.model.line import DocumentParser, LineParser
from analyzer.parsers.cgroup import CgroupCpuStat
from analyzer.parsers.check_perf import CheckPerf
from analyzer.parsers.diskstats import DiskstatsParser
from analyzer.parsers.etcdctl_fields import EtcdctlFields
from analyzer.parsers.etcdctl_json import (
    AlarmListJson,
    EndpointHealthJson,
    EndpointStatusJson,
    MemberListJson,
)
from analyzer.parsers.etcdctl_table import EndpointHealthTable, EndpointStatusTable, MemberListTable
from analyzer.parsers.etcdctl_text import (
    AlarmListText,
    EndpointHealthText,
    EndpointStatusSimple,
    MemberListText,
)
from analyzer.parsers.fio import FioParser
from analyzer.parsers.fio_json import FioJsonParser
from analyzer.parsers.flags import EtcdFlags
from analyzer.parsers.inventory import Inventory
from analyzer.parsers.iostat import IostatParser
from analyzer.parsers.iostat_json import IostatJsonParser
from analyzer.parsers.memory import Memory
from analyzer.parsers.metrics import Metrics
from analyzer.parsers.mounts import Mounts
from analyzer.parsers.pidstat import Pidstat
from analyzer.parsers.prometheus_json import PrometheusJson
from analyzer.parsers.psi import Psi
from analyzer.parsers.vmstat import Vmstat

LINE_PARSERS: tuple[type[LineParser], ...] = (
    FioParser,
    IostatParser,
    DiskstatsParser,
    Pidstat,
    Vmstat,
    CgroupCpuStat,
    Psi,
    EndpointStatusTable,
    EndpointHealthTable,
    MemberListTable,
    EndpointHealthText,
    AlarmListText,
    CheckPerf,
    EtcdctlFields,
    Metrics,
    Mounts,
    Memory,
    EtcdFlags,
    EndpointStatusSimple,
    MemberListText,
)
DOCUMENT_PARSERS: tuple[type[DocumentParser], ...] = (
    FioJsonParser,
    IostatJsonParser,
    EndpointStatusJson,
    EndpointHealthJson,
    MemberListJson,
    AlarmListJson,
    Inventory,
    PrometheusJson,
)
