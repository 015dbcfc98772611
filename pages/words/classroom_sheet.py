"""What stands on paper: the sheet for before the lesson and the cards. Its advice: `classroom_advice`."""

TITLE = "Before the lesson: ten minutes"
LEAD = "Ten minutes the day before, and nothing can surprise you. The sheet has all this on paper."
SAVE, FILE = "Save the sheet to print", "classroom-before-the-lesson.html"
LANGUAGE = "Language of the sheet"
HEADS = {
    "en": "Before the lesson: ten minutes",
    "de": "Vor der Stunde: zehn Minuten",
    "fr": "Avant le cours : dix minutes",
    "es": "Antes de la clase: diez minutos",
}
NO_CODE = {
    "en": "Make your survey first and take this sheet from its lobby: it then has the QR code for the class on its first page.",
    "de": "Legen Sie zuerst Ihre Umfrage an und nehmen Sie dieses Blatt aus ihrem Vorraum („lobby“): Dann steht auf der ersten Seite der QR-Code für die Klasse.",
    "fr": "Créez d’abord votre questionnaire et prenez cette feuille dans sa salle d’attente (« lobby ») : le QR code pour la classe sera alors sur la première page.",
    "es": "Cree primero su encuesta y tome esta hoja de su sala de espera («lobby»): entonces la primera página lleva el código QR para la clase.",
}
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
OR_TYPE = {
    "en": "Or open {address} and type the code.",
    "de": "Oder {address} öffnen und den Code eintippen.",
    "fr": "Ou ouvre {address} et tape le code.",
    "es": "O abre {address} y escribe el código.",
}
CARDS_HEAD = {
    "en": "Print, cut apart, shuffle, and let everybody draw one. Every card works once.",
    "de": "Ausdrucken, zerschneiden, mischen und alle eine ziehen lassen. Jede Karte gilt einmal.",
    "fr": "Imprimez, découpez, mélangez et laissez chacun en tirer une. Chaque carte sert une fois.",
    "es": "Imprima, recorte, mezcle y deje que cada cual saque una. Cada tarjeta vale una vez.",
}
CARD = {
    "en": "Scan with the camera. Works once, on one phone.",
    "de": "Mit der Kamera scannen. Gilt einmal, für ein Handy.",
    "fr": "Scanne avec l’appareil photo. Valable une fois, pour un téléphone.",
    "es": "Escanea con la cámara. Vale una vez, para un móvil.",
}
PAGE_HASH = "SHA-256 of the phone page, the same for every survey: "
