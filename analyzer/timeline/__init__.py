"""Evidence -> Timeline: clocks and zones, member names, duplicates, clock skew, devices.

``clocks``    every time stamp to UTC, every assumption stated
``members``   whose file is it: from log content first, then from path
``dedupe``    rotated and repeated files counted once
``skew``      members' clocks against each other, from raft terms
``devices``   which device carries the WAL
``assemble``  the stage
"""

from analyzer.timeline.assemble import Overrides, assemble

__all__ = ["Overrides", "assemble"]
