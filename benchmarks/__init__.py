"""Benchmarks: how fast an etcd log is diagnosed, side by side with jq. See README.md."""
