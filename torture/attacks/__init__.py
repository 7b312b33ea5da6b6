"""The attacks, one module each; `ALL` lists them in the order in which they take turns."""

from __future__ import annotations

from torture.case import Attack


def load() -> dict[str, Attack]:
    """All attacks by name."""
    from torture.attacks import certificates, databases, http, inputs, lines, provers, stores, values

    modules = (values, lines, certificates, databases, stores, provers, http, inputs)
    attacks: tuple[Attack, ...] = tuple(module.ATTACK for module in modules)
    return {attack.name: attack for attack in attacks}
