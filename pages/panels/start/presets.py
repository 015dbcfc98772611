"""Settings worth starting from."""

from dataclasses import dataclass

from calm_core.settings import Settings
from pages import words


@dataclass(frozen=True)
class Preset:
    """A card on the Start page."""

    title: str
    text: str
    icon: str
    settings: Settings

    @property
    def facts(self) -> str:
        """What is set, in one line."""
        s = self.settings
        users = f" · {s.n:,} users" if s.n else ""
        return f"ε = {s.epsilon:g} · d = {s.d} · k = {s.k}{users}"


PRESETS = {
    "survey": Preset(*words.start.PRESETS["survey"], ":material/school:", Settings()),
    "shopping": Preset(
        *words.start.PRESETS["shopping"],
        ":material/shopping_cart:",
        Settings(source="browsing", d=16),
    ),
    "strong": Preset(*words.start.PRESETS["strong"], ":material/lock:", Settings(epsilon=0.2)),
    "large_k": Preset(
        *words.start.PRESETS["large_k"],
        ":material/view_module:",
        Settings(source="browsing", d=16, k=6),
    ),
    "fails": Preset(
        *words.start.PRESETS["fails"], ":material/warning:", Settings(d=18, n=1000, epsilon=0.1)
    ),
}
