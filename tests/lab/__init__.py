"""A lab of real three-member etcd clusters on loopback that can be made sick on purpose.

A development tool: it is not part of the wheel. ``python -m tests.lab list`` shows the scenarios,
``python -m tests.lab run NAME`` builds etcd if need be, runs one and writes its fixture.
The faults need root, Linux, strace, sysstat and fio; see ``cluster.py`` for the disk set-up.
"""
