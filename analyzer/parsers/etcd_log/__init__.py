"""etcd log lines in every dialect: one format, many wrappers.

``wrappers``  CRI, docker, journald, compose ... peeled off, in any nesting
``stamps``    time stamps of all dialects -> UTC nanoseconds
``dialects``  payload text -> one Record (zap JSON, capnslog, raft std, console, Go crash)
``zap_block`` the hot path: a block of plain zap JSON in, typed records out; ``zap_columns`` makes columns of them
``rows``      recognised records as columns
``scanner``   feeds lines and blocks through all of the above
"""
