"""Mounts, memory and inventory: where data lives and how much memory there is."""

import pytest

from analyzer.model.facts import MemberEntry, MemoryLimit, Mount
from analyzer.parsers.inventory import Inventory
from analyzer.parsers.memory import Memory
from analyzer.parsers.mounts import Mounts

from .feeding import case, one, parse_json, segments

LISTINGS = {
    "mount": (
        "proc on /proc type proc (rw,nosuid)\n/dev/mapper/vg-etcd on /var/lib/etcd type xfs (rw,noatime)\n"
        "overlay on /run/x type overlay (rw)\n10.0.0.1:/exp on /mnt type nfs4 (rw)"
    ),
    "proc": (
        "proc /proc proc rw,nosuid 0 0\n/dev/mapper/vg-etcd /var/lib/etcd xfs rw,noatime 0 0\n"
        "overlay /run/x overlay rw,lowerdir=/a 0 0\n10.0.0.1:/exp /mnt nfs4 rw 0 0"
    ),
    "findmnt": (
        "TARGET SOURCE FSTYPE OPTIONS\n├─/proc proc proc rw\n"
        "├─/var/lib/etcd /dev/mapper/vg-etcd[/sub] xfs rw\n"
        "│ └─/run/x overlay overlay rw\n└─/mnt 10.0.0.1:/exp nfs4 rw"
    ),
    "df": (
        "Filesystem Type Size Used Avail Use% Mounted on\nudev devtmpfs 5M 0 5M 0% /dev\n"
        "/dev/mapper/vg-etcd xfs 20G 19G 1G 97% /var/lib/etcd\noverlay overlay 1G 1G 0 9% /run/x\n"
        "10.0.0.1:/exp nfs4 1T 1G 1T 1% /mnt"
    ),
}


@pytest.mark.parametrize("tool", LISTINGS)
def test_one_truth_in_four_listings(tool: str) -> None:
    parsed = one(LISTINGS[tool], Mounts)
    assert [(m.target, m.device, m.fstype) for m in parsed.records] == [
        ("/var/lib/etcd", "vg-etcd", "xfs"),
        ("/mnt", "10.0.0.1:/exp", "nfs4"),
    ]
    assert parsed.facts["mounts_not_kept"] == 2


def test_df_says_how_full() -> None:
    assert one(LISTINGS["df"], Mounts).facts["mounts"][0]["used_percent"] == 97


def test_lsblk_tree_with_several_mount_points() -> None:
    text = (
        "NAME      MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS\nsda         8:0    0   50G  0 disk \n"
        "├─sda1      8:1    0   40G  0 part /run/netns\n│                                  /\n"
        "└─vg-etcd 253:0    0   10G  0 lvm  /var/lib/etcd\n"
    )
    assert one(text, Mounts).records == (
        Mount(3, "/run/netns", "sda1", None),
        Mount(4, "/", "sda1", None),
        Mount(5, "/var/lib/etcd", "vg-etcd", None),
    )


@pytest.mark.parametrize(
    "prose",
    ["I put it on /var/lib/etcd type in xfs", "Filesystem is full", "NAME READY STATUS", "a /b c d 0 0"],
)
def test_prose_is_no_listing(prose: str) -> None:
    assert not Mounts.starts(prose)


def test_settings_of_a_virtual_machine_and_its_total() -> None:
    found = segments(case("real/k3s-balloon-memory/bundle/vm-memory.txt"), Memory)
    assert [record for parsed in found for record in parsed.records] == [
        MemoryLimit(2, "balloon", 2000 * 1024 * 1024),
        MemoryLimit(3, "memory", 4000 * 1024 * 1024),
        MemoryLimit(6, "MemTotal", 1863668 * 1024),
    ]


@pytest.mark.parametrize(
    ("row", "total"),
    [
        ("Mem:       24684100     1400000    23000000", 24684100 * 1024),
        ("Mem:          24105        1367       22461", 24105 * 1024 * 1024),
        ("Mem:           7.6Gi       1.3Gi        21Gi", round(7.6 * 1024**3)),
        ("Mem:            15G       1.3G        21G", 15 * 1024**3),
    ],
)
def test_free_in_any_unit(row: str, total: int) -> None:
    text = f"               total        used        free\n{row}\nSwap:             0           0           0"
    assert one(text, Memory).records == (MemoryLimit(2, "MemTotal", total),)


def test_inventory_names_the_data_device() -> None:
    parsed = parse_json(case("lab/nospace_small_quota/bundle/inventory.json"), [Inventory])
    assert [(m.name, m.data_device, m.client_urls) for m in parsed.records][1] == (
        "etcd-1",
        "loop7",
        ("http://10.77.1.12:2379",),
    )
    assert [m.line for m in parsed.records] == [7, 14, 21]
    assert (parsed.facts["timezone"], parsed.facts["etcd_version"]) == ("UTC", "3.5.21")


def test_inventory_of_other_shapes() -> None:
    parsed = parse_json(
        '{"members":[{"name":"a","device":"/dev/nvme0n1","peer_urls":["http://h:1"]},{"name":3},7]}',
        [Inventory],
    )
    assert parsed.records == (MemberEntry(1, None, "a", ("http://h:1",), (), None, "nvme0n1"),)
    assert not Inventory.accepts({"members": [{"name": "a"}]})
