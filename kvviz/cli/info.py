"""``kvviz --info``: what someone who helps needs to know."""

from kvviz.engine.system_report import system_report


def print_info() -> int:
    """Print versions, machine and settings path, importing none of the large libraries."""
    print(system_report())
    return 0
