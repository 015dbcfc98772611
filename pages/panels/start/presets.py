"""Settings worth starting from."""

from dataclasses import dataclass

from calm_core.settings import Settings


@dataclass(frozen=True)
class Preset:
    """A card on the Start page."""

    title: str
    icon: str
    text: str
    settings: Settings

    @property
    def facts(self) -> str:
        """What is set, in one line."""
        s = self.settings
        users = f" · {s.n:,} users" if s.n else ""
        return f"ε = {s.epsilon:g} · d = {s.d} · k = {s.k}{users}"


PRESETS = {
    "survey": Preset(
        "Classroom survey",
        ":material/school:",
        "Sensitive yes-or-no questions to 60,000 people. A good place to begin.",
        Settings(),
    ),
    "shopping": Preset(
        "Shopping visits",
        ":material/shopping_cart:",
        "Which of 16 kinds of pages 250,000 visits touched.",
        Settings(source="browsing", d=16),
    ),
    "strong": Preset(
        "Strong privacy",
        ":material/lock:",
        "Five times less budget: watch the noise take over.",
        Settings(epsilon=0.2),
    ),
    "large_k": Preset(
        "Large marginals",
        ":material/view_module:",
        "Tables over 6 attributes at once, rebuilt from small views.",
        Settings(source="browsing", d=16, k=6),
    ),
    "fails": Preset(
        "When it fails",
        ":material/warning:",
        "Few people, many attributes, little budget: worse than guessing.",
        Settings(d=18, n=1000, epsilon=0.1),
    ),
}
