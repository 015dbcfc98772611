"""What is printed for a lesson: the sheet with advice for the teacher, and the cards, in the languages of the surveys."""

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
# For the pupils, in the language of the questions.
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

# The advice before a lesson; buttons keep the names they have on screen.
ADVICE = {
    "en": (
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
    ),
    "de": (
        (
            "Zehn Minuten, Schritt für Schritt",
            (
                "2 Min.: Wählen Sie eine fertige Umfrage oder schreiben Sie zwei bis vier Fragen. Fragen Sie nach etwas, das Schutz verdient: Aus „Magst du Pizza?“ lernt niemand viel.",
                "1 Min.: Geben Sie an, wie viele Handys Sie erwarten, und lesen Sie, was eine solche Klasse erfahren kann. Je weniger Fragen, desto genauer.",
                "1 Min.: Legen Sie die Umfrage an und speichern Sie beide Schlüssel. Mit dem „Teacher key“ kommen Sie an jedem Computer zu ihr zurück.",
                "3 Min.: Drücken Sie im Klassenraum selbst „Try it on my phone first“ und antworten Sie. Kommt Ihr Handy hinein, kommen auch die anderen hinein.",
                "2 Min.: Bringen Sie die Ergebniswand mit dem „Wall key“ auf den Beamer, oder drücken Sie an diesem Computer L für den Vortragsmodus.",
                "1 Min.: Drucken Sie dieses Blatt, damit der Code auch auf Papier steht.",
            ),
        ),
        (
            "Was im Schul-WLAN schiefgehen kann",
            (
                "Handys mit mobilen Daten erreichen diesen Computer nicht: Alle müssen im selben WLAN sein.",
                "Gäste-WLANs trennen die Geräte oft voneinander. Dann hilft keine Adresse: Nehmen Sie den Hotspot dieses Computers; er fasst etwa zehn Handys oder mehr, je nach Gerät.",
                "Vielleicht fragt eine Firewall auf diesem Computer einmal, ob sich andere verbinden dürfen: Erlauben Sie es für private Netzwerke.",
                "Starten Sie CALM Lab mit --server.address=0.0.0.0; sonst wird nur dieser Computer bedient.",
                "Schläft der Computer ein, geht nichts verloren: Die Handys machen von selbst weiter, sobald er aufwacht. Schalten Sie den Ruhezustand trotzdem aus.",
                "Fällt das WLAN mittendrin aus, muss niemand von vorn beginnen: Ein Handy sendet, sobald es wieder verbunden ist, und zählt nur einmal.",
            ),
        ),
        (
            "Was Sie zum Schutz der Antworten sagen können",
            (
                "„Dein Handy würfelt, bevor es sendet. Manchmal sendet es, was du angetippt hast, manchmal etwas anderes, und es verrät niemandem, welches von beiden.“",
                "„Ich sehe deine Antwort nicht, jetzt nicht und später nicht. Auch der Server bekommt sie nicht. Was niemand hat, kann niemand herausgeben.“",
                "„Weil wir wissen, wie oft Handys Antworten ändern, können wir die Summe aller berichtigen: Über die Klasse erfahren wir etwas, über dich nichts, was zählt.“",
                "Seien Sie ehrlich: Der Server könnte festhalten, welches Handy welche Meldung geschickt hat. Dieses Programm tut es nicht, und die Meldung ist ohnehin verrauscht.",
                "Seien Sie ehrlich: Ohne https könnte jemand im Netz die Seite austauschen. In Ihrem eigenen Hotspot ist sonst niemand.",
                "Die Teilnahme ist freiwillig. Wer will, kann seine Meldung zurücknehmen, solange die Umfrage offen ist.",
                "Stellen Sie dieselbe Frage nicht immer wieder: Was mehrere Meldungen verraten, summiert sich.",
            ),
        ),
        (
            "In der Stunde, zwanzig Minuten",
            (
                "3 Min.: Alle kommen herein. Lassen Sie lesen, was das Handy tun wird, bevor etwas gefragt wird.",
                "3 Min.: Drücken Sie „Open the survey“, alle antworten; wer mag, probiert es tausendmal aus, ohne zu senden.",
                "3 Min.: „What arrived“: Was sieht die Klasse? Vor allem Rauschen.",
                "4 Min.: „Corrected“: Was ist sicher, was nicht? Lassen Sie die Bänder vorlesen.",
                "3 Min.: „Which go together“: eine Richtung, mehr selten bei einer einzigen Klasse.",
                "4 Min.: Schließen Sie die Umfrage und öffnen Sie „What happened?“: was das Handy gesendet hat, warum es niemand wissen kann, was die Klasse trotzdem erfahren hat.",
            ),
        ),
    ),
    "fr": (
        (
            "Dix minutes, pas à pas",
            (
                "2 min : choisissez un questionnaire tout prêt ou écrivez deux à quatre questions. Demandez ce qui mérite d’être protégé : « Aimes-tu la pizza ? » n’apprend pas grand-chose.",
                "1 min : indiquez combien de téléphones vous attendez et lisez ce qu’une telle classe peut apprendre. Moins il y a de questions, plus c’est précis.",
                "1 min : créez le questionnaire et enregistrez les deux clés. Avec la « Teacher key », vous le retrouvez sur n’importe quel ordinateur.",
                "3 min : dans la salle même, cliquez sur « Try it on my phone first » et répondez. Si votre téléphone entre, les leurs entreront aussi.",
                "2 min : affichez les résultats au vidéoprojecteur avec la « Wall key », ou appuyez sur L sur cet ordinateur pour le mode présentation.",
                "1 min : imprimez cette feuille, pour avoir aussi le code sur papier.",
            ),
        ),
        (
            "Ce qui peut mal se passer avec le Wi-Fi de l’école",
            (
                "Un téléphone en données mobiles ne peut pas joindre cet ordinateur : tout le monde doit être sur le même Wi-Fi.",
                "Les Wi-Fi invités isolent souvent les appareils les uns des autres. Aucune adresse ne marche alors : utilisez le partage de connexion de cet ordinateur, qui accepte une dizaine de téléphones ou plus, selon le modèle.",
                "Un pare-feu sur cet ordinateur peut demander une fois si d’autres ont le droit de se connecter : autorisez-le pour les réseaux privés.",
                "Lancez CALM Lab avec --server.address=0.0.0.0 ; sinon seul cet ordinateur est servi.",
                "Si l’ordinateur se met en veille, rien n’est perdu : les téléphones reprennent d’eux-mêmes à son réveil. Désactivez tout de même la mise en veille.",
                "Si le Wi-Fi tombe en plein milieu, personne ne doit recommencer : un téléphone envoie dès qu’il est reconnecté, et ne compte qu’une fois.",
            ),
        ),
        (
            "Que dire de la protection des réponses, avec des mots simples",
            (
                "« Ton téléphone lance des dés avant d’envoyer. Parfois il envoie ce que tu as touché, parfois autre chose, et il ne dit à personne lequel des deux. »",
                "« Je ne vois pas ta réponse, ni maintenant ni plus tard. Le serveur ne la reçoit pas non plus. On ne peut réclamer à personne ce que personne n’a. »",
                "« Comme nous savons à quelle fréquence les téléphones changent les réponses, nous pouvons corriger la somme de toutes : nous apprenons quelque chose de la classe, et de toi rien qui compte. »",
                "Soyez honnête : le serveur pourrait noter quel téléphone a envoyé quoi. Ce programme ne le fait pas, et ce qui est envoyé est de toute façon bruité.",
                "Soyez honnête : sans https, quelqu’un sur le réseau pourrait remplacer la page. Dans votre propre partage de connexion, il n’y a personne d’autre.",
                "La participation est libre. Qui le souhaite peut retirer son envoi tant que le questionnaire est ouvert.",
                "Ne posez pas sans cesse la même question : ce que révèlent plusieurs envois s’additionne.",
            ),
        ),
        (
            "Pendant le cours, vingt minutes",
            (
                "3 min : tout le monde entre. Laissez-les lire ce que fera le téléphone avant qu’on leur demande quoi que ce soit.",
                "3 min : cliquez sur « Open the survey », tout le monde répond ; qui veut essaie mille fois sans envoyer.",
                "3 min : « What arrived » : que voient-ils ? Surtout du bruit.",
                "4 min : « Corrected » : qu’est-ce qui est sûr, qu’est-ce qui ne l’est pas ? Faites lire les bandes à voix haute.",
                "3 min : « Which go together » : une tendance, rarement plus avec une seule classe.",
                "4 min : fermez le questionnaire et ouvrez « What happened? » : ce que ton téléphone a envoyé, pourquoi personne ne peut savoir, ce que la classe a appris malgré tout.",
            ),
        ),
    ),
    "es": (
        (
            "Diez minutos, paso a paso",
            (
                "2 min: elija una encuesta ya preparada o escriba de dos a cuatro preguntas. Pregunte algo que merezca protección: con «¿Te gusta la pizza?» no se aprende mucho.",
                "1 min: indique cuántos móviles espera y lea qué puede averiguar una clase así. Cuantas menos preguntas, más precisión.",
                "1 min: cree la encuesta y guarde las dos claves. Con la «Teacher key» vuelve a ella desde cualquier ordenador.",
                "3 min: en la propia aula, pulse «Try it on my phone first» y responda. Si su móvil entra, los de la clase también entrarán.",
                "2 min: proyecte los resultados con la «Wall key», o pulse L en este ordenador para el modo de presentación.",
                "1 min: imprima esta hoja, para tener el código también en papel.",
            ),
        ),
        (
            "Qué puede fallar con el wifi del centro",
            (
                "Un móvil con datos móviles no llega a este ordenador: todos tienen que estar en el mismo wifi.",
                "Las redes de invitados suelen aislar los dispositivos entre sí. Entonces no sirve ninguna dirección: use la zona wifi de este ordenador, que admite unos diez móviles o más, según el equipo.",
                "Puede que el cortafuegos de este ordenador pregunte una vez si otros pueden conectarse: permítalo en redes privadas.",
                "Inicie CALM Lab con --server.address=0.0.0.0; si no, solo se atiende a este ordenador.",
                "Si el ordenador se suspende, no se pierde nada: los móviles siguen solos cuando despierta. Aun así, desactive la suspensión.",
                "Si el wifi se cae a la mitad, nadie tiene que empezar de nuevo: el móvil envía en cuanto vuelve a tener conexión, y cuenta una sola vez.",
            ),
        ),
        (
            "Qué decir sobre la protección de las respuestas, con palabras sencillas",
            (
                "«Tu móvil tira los dados antes de enviar. A veces envía lo que has tocado, a veces otra cosa, y no le dice a nadie cuál de las dos.»",
                "«Yo no veo tu respuesta, ni ahora ni después. El servidor tampoco la recibe. A nadie se le puede pedir lo que nadie tiene.»",
                "«Como sabemos con qué frecuencia los móviles cambian las respuestas, podemos corregir la suma de todas: de la clase aprendemos algo; de ti, nada que cuente.»",
                "Sea sincero: el servidor podría anotar qué móvil envió qué. Este programa no lo hace, y de todos modos lo enviado lleva ruido.",
                "Sea sincero: sin https, alguien en la red podría sustituir la página. En su propia zona wifi no hay nadie más.",
                "Participar es voluntario. Quien quiera puede retirar su envío mientras la encuesta esté abierta.",
                "No haga la misma pregunta una y otra vez: lo que revelan varios envíos se suma.",
            ),
        ),
        (
            "En clase, veinte minutos",
            (
                "3 min: entran todos. Deje que lean qué hará el móvil antes de que se les pregunte nada.",
                "3 min: pulse «Open the survey» y todos responden; quien quiera lo prueba mil veces sin enviar.",
                "3 min: «What arrived»: ¿qué ven? Sobre todo ruido.",
                "4 min: «Corrected»: ¿qué es seguro y qué no? Haga que lean las bandas en voz alta.",
                "3 min: «Which go together»: una tendencia, rara vez más con una sola clase.",
                "4 min: cierre la encuesta y abra «What happened?»: qué envió tu móvil, por qué nadie puede saberlo y qué aprendió la clase a pesar de todo.",
            ),
        ),
    ),
}
