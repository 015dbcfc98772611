"""Attack: five attacks on one's own survey, each guessed first."""

from pages import words
from pages.ui import attacking, frame, navigation, state
from pages.ui.error_boundary import show_errors

target = attacking.target_of(state.current())
chosen = navigation.current().view
with show_errors():
    if chosen in words.attack.ATTACKS:
        attacking.show_attack(target, chosen)
    else:
        frame.set_title(words.attack.TITLE)
        attacking.show_cards(target)
