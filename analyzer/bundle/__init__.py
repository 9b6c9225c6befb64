"""Discover: walk directories, archives, compressed files and stdin as streams; told by CONTENT, never by name.

``source``   a file as a stream of chunks, or why there is none
``walk``     paths -> Sources, in a fixed order
``archives`` tar, zip and compressed files in any nesting, streamed; nothing is written by name
``inflate``  gzip/bz2/xz/zstd streams that give what they can before they break
``magic``    binary formats we cannot read, and the command that converts each
``blocks``   byte chunks -> blocks of whole lines, encodings settled
"""
