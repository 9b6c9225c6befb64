"""The exception tree.

::

    EtcdDoctorError                 anything the user can act on; carries an exit code
    +-- UsageError          (2)     a bad argument
    +-- UnusableInput       (3)     missing path, nothing readable, nothing of etcd in it
    +-- RuleError           (2)     rules/ do not load; lists every error with file and key

Only ``cli.main`` catches these: one line on stderr, then the exit code. Any other exception is a bug (1).
Damaged files inside a bundle never raise: they become coverage rows.
"""

from __future__ import annotations


class EtcdDoctorError(Exception):
    """An error with a sentence for the user: what, where, what to do."""

    exit_code = 1


class UsageError(EtcdDoctorError):
    """A bad argument."""

    exit_code = 2


class UnusableInput(EtcdDoctorError):
    """Nothing could be analysed."""

    exit_code = 3


class RuleError(EtcdDoctorError):
    """The rule files do not load."""

    exit_code = 2

    def __init__(self, problems: list[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("rules do not load:\n  " + "\n  ".join(problems))
