"""One file per FORMAT, one explicit registry (``registry.py``). Log dialects live in ``etcd_log/``."""
