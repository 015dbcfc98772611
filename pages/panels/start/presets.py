"""Settings worth beginning with, and the page each is about."""

from dataclasses import dataclass

from calm_core.settings import Settings
from pages import words
from pages.ui import state, view_state


@dataclass(frozen=True)
class Preset:
    """Settings to begin with: title, what they change in words, and the page that shows it."""

    title: str
    told: str
    page: str
    settings: Settings


PRESETS = {
    "survey": Preset(*words.start.PRESETS["survey"], "start", Settings()),
    "shopping": Preset(
        *words.start.PRESETS["shopping"], "marginals", Settings(source="browsing", d=16)
    ),
    "large_k": Preset(
        *words.start.PRESETS["large_k"], "marginals", Settings(source="browsing", d=16, k=6)
    ),
    "fails": Preset(
        *words.start.PRESETS["fails"], "errors", Settings(d=18, n=1000, epsilon=0.1)
    ),
}  # fmt: skip


def offered(settings: Settings) -> dict[str, Preset]:
    """All but those that would change nothing; the survey where the data are not it."""
    return {
        name: preset
        for name, preset in PRESETS.items()
        if preset.settings.results_key != settings.results_key
        and (preset.settings != Settings() or settings.source != preset.settings.source)
    }


def begin(name: str) -> None:
    """Adopt a preset and open its page; a toast says what has changed, with a way back."""
    preset = PRESETS[name]
    state.adopt_preset(preset.told, preset.settings)
    view_state.depart(preset.page)
