"""Discover: walk directories, archives, compressed files and stdin as streams; told by CONTENT, never by name.

``walk``     paths -> Sources (label + byte chunks), archives streamed, nothing written by name
``inflate``  gzip/bz2/xz/zstd streams that give what they can before they break
``magic``    binary formats we cannot read, and the command that converts each
``blocks``   byte chunks -> blocks of whole lines, encodings settled
"""
