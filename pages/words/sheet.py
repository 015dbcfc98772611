"""What is printed for a teacher. Times are advice: a class needs longer than somebody alone."""

SHEET = {
    "title": "Eight lessons in local privacy: the teacher's sheet",
    "lead": (
        "Every lesson has four steps: the idea, a guess, the answer beside the guess, and settings to "
        "play with. Let everybody guess before you go on: the guess is what makes the answer stay.",
        "Press L for lecture mode. A presenter's clicker or the keys PageDown and PageUp step on and "
        "back, N asks everybody again, B makes the screen black.",
    ),
    "near": (
        "These links lead to this computer only. Start CALM Lab at an address that your class can "
        "reach, open it there, and take this sheet again."
    ),
    "columns": ("Step", "Alone", "With a class"),
    "timing": (
        ("Idea", "½ min", "1 min: read it aloud"),
        ("Guess", "½ min", "1 min: hands up, write the guesses down"),
        ("Answer", "1 min", "2 min: whose guess was nearest, and why?"),
        ("Play, and a sentence to keep", "1 min", "2 min: the question to discuss"),
        ("One lesson", "3 min", "6 min"),
        ("All eight", "24 min", "48 min"),
    ),
    "ask": "Ask",
    "expected": "Expected",
    "because": "Because",
    "discuss": "Discuss",
    "keep": "Keep",
    "link": "Lesson",
    "step": "The guess",
}
