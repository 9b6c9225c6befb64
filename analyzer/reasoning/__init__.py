"""Timeline -> Diagnosis.

``case``       the timeline with what several judgements share: episodes, planned windows, the right disk series
``observers``  one measuring function per named detector of rules/symptoms
``judge``      readings -> findings, in the words of the rules
``rank``       noisy-OR over cause sets, with an additive ledger
``story``      incidents with their causal chains, impact, timeline
``conclude``   verdict, checklist, ruled out, next evidence
"""
