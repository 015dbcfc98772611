"""Attack: five attacks on one's own survey, each guessed first."""

from pages import words
from pages.panels import attack as panel
from pages.ui import frame, navigation, state
from pages.ui.error_boundary import show_errors

target = panel.target_of(state.current())
chosen = navigation.current().view
with show_errors():
    if chosen in words.attack.ATTACKS:
        panel.show_attack(target, chosen)
    else:
        frame.set_title(words.attack.TITLE)
        panel.show_cards(target)
