# The same records the way people type it: one regular expression over the message.
# Run with `jq -c -f records_regex.jq etcd.log`.
select(.msg | test("^(apply request took too long|request stats|slow fdatasync|leader failed to send out heartbeat|waiting for ReadIndex|dropped internal Raft|prober detected unhealthy|lost TCP streaming|finished scheduled compaction|compact tree index|rejected connection|created a new WAL segment|saved snapshot|trace\\[|raft\\.node: |[0-9a-f]{16} )"))
| [.ts, .level, .msg, .took // ."time spent" // .duration // ."exceeded-duration"]
