"""Reports: a Diagnosis turned into words once (``view``), then laid out by thin renderers (``registry``)."""
