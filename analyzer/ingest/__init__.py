"""Bundle -> columns and coverage: every line of every file goes to exactly one parser, or is counted as not relevant.

``segment``  one artifact: lines to log scanner, line parsers or JSON documents
``clean``    a raw line as text, undoing what terminals and wikis did to it
``json_text`` JSON documents pasted anywhere, also cut off
``read``     the whole bundle
``quote``    a second walk that fetches the cited lines
"""

from analyzer.ingest.read import Evidence, read_bundle

__all__ = ["Evidence", "read_bundle"]
