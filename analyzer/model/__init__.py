"""The types that travel between the stages. Frozen, slotted, typed; this package imports nothing of ours.

``line``       what a parser is fed (Line, Document) and what it returns (Parsed)
``events``     the columnar table of recognised log records
``series``     the columnar samples of disks, processes and metrics
``facts``      what a file says of itself (fio runs, member states, histograms ...)
``artifact``   one file of the bundle and how it was understood
``timeline``   everything above on one UTC axis
``finding``    one judged symptom with its evidence
``diagnosis``  the ranked answer
"""
