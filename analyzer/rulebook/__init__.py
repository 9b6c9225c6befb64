"""Strict loader of rules/: TOML files -> typed, cross-checked objects.

``schema``    the shape of each kind of rule file
``templates`` message templates -> patterns
``catalogue`` events of all dialects, looked up by message
``load``      reads the folder, checks every link, lists every error with file and key
"""

from analyzer.rulebook.load import RuleBook, load_rules

__all__ = ["RuleBook", "load_rules"]
