"""Names of months and weekdays in the languages that spreadsheets come in."""

import re
import unicodedata

_MONTHS = """
january jan januar jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty
february feb februar février févr fév febrero febbraio fevereiro fev februari luty lutego lut
march mar märz mrz mär mars marzo março maart mrt marzec marca marts
april apr avril avr abril abr aprile kwiecień kwietnia kwi
may mai mayo maggio mag maio mei maj maja
june jun juni juin junio giugno giu junho czerwiec czerwca cze
july jul juli juillet juil julio luglio lug julho lipiec lipca lip
august aug août aoû agosto ago augustus augusti sierpień sierpnia sie
september sep sept septembre septiembre settembre set setembro setiembre wrzesień września wrz
october oct oktober okt octobre octubre ottobre ott outubro out październik października paź
november nov novembre noviembre novembro listopad listopada lis
december dec dezember dez décembre déc diciembre dic dicembre dezembro desember grudzień grudnia gru
"""
WEEKDAYS = (
    "monday mon tuesday tues tue wednesday wed thursday thurs thur thu friday fri saturday sat sunday sun "
    "montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do fr sa so "
    "lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim "
    "lunes martes miércoles jueves viernes sábado domingo mié jue vie sáb dom "
    "lunedì martedì mercoledì giovedì venerdì sabato domenica gio sab "
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira segunda terça quarta quinta sexta seg ter qua "
    "qui sex maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ma wo vr za zo "
    "måndag tisdag onsdag torsdag fredag lördag söndag mån tis ons tor tors fre lör sön man fre "
    "poniedziałek wtorek środa czwartek piątek sobota niedziela pon wt śr czw pt sob ndz niedz"
).split()


def plain(text: str) -> str:
    """Lower case without accents."""
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(sign for sign in apart if not unicodedata.combining(sign))


MONTHS = {
    plain(name): number
    for number, line in enumerate(_MONTHS.strip().splitlines(), start=1)
    for name in line.split()
}
WEEKDAY = "(?i:" + "|".join(sorted(map(re.escape, WEEKDAYS), key=len, reverse=True)) + ")"


def month_of(text: str) -> int:
    """Number of a month by its name; 0 for anything else.

    Examples
    --------
    >>> month_of("May"), month_of("März"), month_of("févr"), month_of("Ulm")
    (5, 3, 2, 0)
    """
    return MONTHS.get(plain(text).rstrip("."), 0)
