"""What a teacher reads before the lesson, on the page and on paper, and what stands on printed cards."""

TITLE = "Before the lesson: ten minutes"
LEAD = "Ten minutes the day before, and nothing can surprise you. The sheet has all this on paper."
SAVE, FILE = "Save the sheet to print", "classroom-before-the-lesson.html"
NO_CODE = "Make your survey first and take this sheet from its lobby: it then has the QR code for the class on its first page."
# What pupils read on paper, in the language of the questions.
POSTER = {
    "en": (
        "Scan with the camera, or type the address. No app, no account, no name.",
        "Your phone changes some answers at random before it sends them. Nobody can tell which.",
    ),
    "de": (
        "Mit der Kamera scannen oder die Adresse eintippen. Keine App, kein Konto, kein Name.",
        "Dein Handy ändert manche Antworten zufällig, bevor es sie sendet. Niemand weiß, welche.",
    ),
    "fr": (
        "Scanne avec l’appareil photo ou tape l’adresse. Ni appli, ni compte, ni nom.",
        "Ton téléphone change certaines réponses au hasard avant de les envoyer. Personne ne sait lesquelles.",
    ),
    "es": (
        "Escanea con la cámara o escribe la dirección. Sin aplicación, sin cuenta, sin nombre.",
        "Tu móvil cambia algunas respuestas al azar antes de enviarlas. Nadie sabe cuáles.",
    ),
}
CARDS_HEAD = "Print, cut apart, shuffle, and let everybody draw one. Every card works once."
CARD = {
    "en": "Scan with the camera. Works once, on one phone.",
    "de": "Mit der Kamera scannen. Gilt einmal, für ein Handy.",
    "fr": "Scanne avec l’appareil photo. Valable une fois, pour un téléphone.",
    "es": "Escanea con la cámara. Vale una vez, para un móvil.",
}
PAGE_HASH = "SHA-256 of the phone page, the same for every survey: "
PARTS = (
    (
        "Ten minutes, step by step",
        (
            "2 min: choose a ready survey or write two to four questions. Ask what is worth protecting: nobody learns much from “Do you like pizza?”.",
            "1 min: type how many phones you expect, and read what such a class can learn. Fewer questions are known better.",
            "1 min: make the survey and save both keys. With the teacher key you come back on any computer.",
            "3 min: in the room itself, press “Try it on my phone first” and answer. If your phone gets in, theirs will.",
            "2 min: put the wall on the projector with the wall key, or press L for lecture mode on this computer.",
            "1 min: print this sheet, so that the code is on paper too.",
        ),
    ),
    (
        "What can go wrong with school Wi-Fi",
        (
            "Phones on mobile data cannot reach this computer: everybody has to be in the same Wi-Fi.",
            "Guest Wi-Fis often keep devices apart from each other. Then no address works: use the hotspot of this computer, it takes about ten phones or more, depending on the computer.",
            "A firewall on this computer may ask, once, whether others may connect: allow it for private networks.",
            "Start CALM Lab with --server.address=0.0.0.0; without it only this computer is served.",
            "If the computer sleeps, nothing is lost: phones go on by themselves when it wakes. Switch sleep off all the same.",
            "If the Wi-Fi fails in the middle, nobody has to begin anew: a phone sends when it is back, and counts once.",
        ),
    ),
    (
        "What to say about privacy, in plain words",
        (
            "“Your phone rolls dice before it sends. Sometimes it sends what you tapped, sometimes something else, and it tells nobody which.”",
            "“I do not see your answer, now or later. The server does not get it either. Nobody can be asked for what nobody has.”",
            "“Because we know how often phones change answers, we can correct the sum of all: of the class we learn something, of you nothing that counts.”",
            "Be honest: the server could note which phone sent which report; this program does not, and what was sent is noisy anyway.",
            "Be honest: without https somebody in the network could replace the page. In your own hotspot there is nobody else.",
            "Taking part is voluntary. Who wants to can take a report back while the survey is open.",
            "Do not ask the same question again and again: what several reports give away adds up.",
        ),
    ),
    (
        "In the lesson, twenty minutes",
        (
            "3 min: everybody in the lobby. Let them read what the phone will do before anything is asked.",
            "3 min: press “Open the survey”, everybody answers; who likes tries it a thousand times without sending.",
            "3 min: “What arrived”: let them say what they see. It is noise, mostly.",
            "4 min: “Corrected”: what is sure, and what is not? Let them read the bands aloud.",
            "3 min: “Which go together”: a direction, rarely more with one class.",
            "4 min: close, and open “What happened?”: what your phone sent, why nobody can tell, what the class learnt anyway.",
        ),
    ),
)
