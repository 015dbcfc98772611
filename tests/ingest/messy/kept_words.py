"""Kept out while the import is built: words and columns to leave out, not seen by the builder."""

from tests.ingest.messy.column import amounts, drawn, left_out, source, whole, words
from tests.ingest.messy.open_left_out import ALIKE, ID, IDS, PROSE, TEXTS, comments

NO_YES = ("yes/no",)
WORDS = ("yes/no", "category")


def pairs(n: int) -> list[str]:
    rng = source("pairs")
    return [f"{48 + rng.uniform():.3f},{11 + rng.uniform():.3f}" for _ in range(n)]


def people(n: int) -> list[str]:
    first = "Anna Ben Clara David Eva Felix Greta Hans Ida Jan".split()
    last = (
        "Müller Meyer Schmidt Weber Wagner Becker Koch Klein Wolf Richter Lang Braun Vogt".split()
    )
    return [f"{a} {b}" for a in first for b in last][:n]


KEPT_YES_NO = (
    words("yes and no in Dutch", "roker", drawn("nl", 80, {"Ja": 3, "Nee": 5}), NO_YES),
    words("yes and no in Portuguese", "fuma", drawn("pt", 80, {"sim": 3, "não": 5, "": 1}), NO_YES),
    words("yes and no in Russian", "курит", drawn("ru", 80, {"да": 3, "нет": 5}), WORDS),
    words("true and false in German", "aktiv", drawn("wahr", 80, {"WAHR": 3, "FALSCH": 5}), WORDS),
    words("on and off", "alarm", drawn("on", 80, {"on": 3, "off": 5}), NO_YES, shown=("on", "off")),
    words("German yes and no in two spellings", "Auto",
          drawn("ja2", 140, {"Ja": 40, "ja": 20, "Nein": 50, "nein": 10, "?": 4}),
          WORDS, merges=(("Ja", "ja"), ("Nein", "nein")), told=("?",)),
    words("Y, N and U", "consent", drawn("ynu", 140, {"Y": 60, "N": 50, "U": 9}), WORDS, maybe=("U",)),
    words("0 and 1 and NULL", "hospital", drawn("01n", 140, {"0": 90, "1": 40, "NULL": 9}),
          WORDS, told=("NULL",)),
    words("one and two for man and woman", "gender", drawn("12", 140, {"1": 60, "2": 70}),
          ("category", "ordered", "yes/no")),
    words("true and false in three cases", "flag",
          drawn("tf", 140, {"True": 40, "TRUE": 9, "true": 9, "False": 50, "false": 5}),
          WORDS, merges=(("True", "TRUE", "true"), ("False", "false"))),
)  # fmt: skip

KEPT_SPELLINGS = (
    words("German umlauts and case", "Stadt",
          drawn("Stadt", 150, {"München": 40, "Munchen": 3, "münchen": 6, "Köln": 30, "KÖLN": 5, "Ulm": 20}),
          merges=(("München", "Munchen", "münchen"), ("Köln", "KÖLN"))),
    words("three words for a woman", "Sex",
          drawn("woman", 150, {"female": 50, "Female": 20, "f": 9, "male": 50, "Male": 12, "m": 8}),
          merges=(("female", "Female", "f"), ("male", "Male", "m"))),
    words("plural of -es and case", "fruit",
          drawn("fruit", 150, {"apple": 40, "apples": 9, "Apple": 12, "pear": 20, "pears": 3, "plum": 9}),
          merges=(("apple", "apples", "Apple"), ("pear", "pears"))),
    words("blanks around and inside", "team",
          drawn("team", 150, {"blue team": 40, "blue  team": 3, "Blue Team": 9, "red team": 30}),
          merges=(("blue team", "blue  team", "Blue Team"),)),
    words("marks at the end", "answer",
          drawn("marks", 150, {"agree": 40, "agree!": 2, "disagree": 30, "disagree.": 3, "neutral": 20}),
          ("category", "ordered"), merges=(("agree", "agree!"), ("disagree", "disagree."))),
    words("codes of countries with Norway", "country",
          drawn("NO", 150, {"DE": 40, "FR": 30, "NO": 20, "SE": 25, "IT": 9})),
    words("chemical signs are not spellings", "element",
          drawn("signs", 150, {"Co": 20, "CO": 25, "No": 10, "NO": 18, "He": 20}),
          may_merge=(("Co", "CO"), ("No", "NO"))),
    words("words that end in s", "subject",
          drawn("subject", 150, {"physics": 20, "maths": 30, "arts": 12, "art history": 9, "news": 8}),),
    words("numbered names", "treatment",
          drawn("arm", 150, {"arm 1": 40, "arm 2": 38, "arm 3": 41, "placebo": 39})),
    words("a category of which one is numbers", "brand",
          drawn("brand", 150, {"4711": 20, "Nivea": 30, "8x4": 25, "Axe": 20})),
)  # fmt: skip

KEPT_ORDERED = (
    words("ranges in words", "age",
          drawn("to", 150, {"18 to 24": 20, "25 to 34": 30, "35 to 44": 25, "45 to 64": 30,
                            "65 and over": 20}),
          ("ordered",), order=("18 to 24", "25 to 34", "35 to 44", "45 to 64", "65 and over")),
    words("how long in words", "tenure",
          drawn("long", 150, {"less than 1 year": 20, "1-2 years": 30, "3-5 years": 25,
                              "6-10 years": 30, "more than 10 years": 20}),
          ("ordered",), order=("less than 1 year", "1-2 years", "3-5 years", "6-10 years",
                               "more than 10 years")),
    words("ranges of money", "Einkommen",
          drawn("geld", 150, {"€0–€999": 20, "€1,000–€1,999": 30, "€2,000–€4,999": 25, "€5,000+": 9}),
          ("ordered",), order=("€0–€999", "€1,000–€1,999", "€2,000–€4,999", "€5,000+")),
    words("sizes with XS, in two spellings", "shirt",
          drawn("xs", 150, {"XS": 9, "S": 20, "M": 30, "L": 25, "XL": 12, "m": 3}),
          ("ordered", "category"), merges=(("M", "m"),)),
    words("numbered with equals", "satisfaction",
          drawn("equals", 150, {"1=very bad": 5, "2=bad": 20, "3=so so": 30, "4=good": 40, "5=very good": 12}),
          ("ordered",), order=("1=very bad", "2=bad", "3=so so", "4=good", "5=very good")),
    words("out of five, which are no dates", "rating",
          drawn("five", 150, {"1/5": 9, "2/5": 20, "3/5": 30, "4/5": 25, "5/5": 12}),
          ("ordered", "category"), order=("1/5", "2/5", "3/5", "4/5", "5/5")),
    words("stars", "stars",
          drawn("stars", 150, {"★": 5, "★★": 9, "★★★": 30, "★★★★": 40, "★★★★★": 20}),
          ("ordered", "category")),
    words("quality with n/a", "housing",
          drawn("quality", 150, {"poor": 9, "fair": 30, "good": 50, "excellent": 20, "n/a": 6}),
          ("ordered", "category"), told=("n/a",)),
    words("ranges that a spreadsheet could take for dates", "children",
          drawn("ranges", 150, {"1-2": 50, "3-4": 30, "5-6": 9, "7-12": 3}),
          ("ordered",), order=("1-2", "3-4", "5-6", "7-12")),
    words("whole numbers with a refusal", "household",
          drawn("refused", 180, {"1": 40, "2": 60, "3": 30, "4": 25, "5": 9, "refused": 8}),
          ("ordered", "category", "number"), free=("refused",)),
    words("less and more signs", "income",
          drawn("signs2", 150, {"<=50K": 60, ">50K": 20}), ("ordered", "category", "yes/no")),
)  # fmt: skip

KEPT_OUT = (
    left_out("case numbers that begin with a year", "case",
             [f"2013-{v:05.0f}" for v in range(113, 263)], ID, IDS),
    left_out("account numbers", "IBAN",
             [f"DE{v:020.0f}" for v in amounts("iban", 120, 1e17, 9e17, 0)], ID, IDS),
    left_out("numbers of eighteen digits", "tweet_id",
             [str(10**18 + 7919 * i * i) for i in range(120)], ID, IDS),
    left_out("employee numbers with zeros before", "emp_no", [f"{i * 37:06}" for i in range(150)], ID, IDS),
    left_out("telephone numbers with brackets", "phone",
             [f"(030) {v:.0f}" for v in whole("brackets", 120, 200_000, 9_999_999)],
             ("id-like", "text"), ("id", "text")),
    left_out("social security numbers", "ssn",
             [f"{v // 10**6:03}-{v // 10**4 % 100:02}-{v % 10**4:04}"
              for v in map(int, whole("ssn", 120, 10**6, 899_999_999))], ID, IDS),
    left_out("names of people", "name", people(120), ("text", "id-like"), ("text", "id")),
    left_out("links", "url", [f"https://example.org/p?id={v}" for v in range(1200, 1320)],
             ("id-like", "text"), ("id", "text")),
    left_out("free text in two lines", "feedback",
             ["\n".join(comments(f"lines {i}", 2)) for i in range(90)], PROSE, TEXTS),
    left_out("pairs of coordinates", "position", pairs(100), ("id-like", "text"), ("id", "text")),
    left_out("always the same date", "wave", ["2013-05-01"] * 50, ("constant",), ALIKE),
    left_out("always no", "fraud", ["no"] * 80, ("constant",), ALIKE),
    words("the same in two spellings", "land", drawn("land", 90, {"Germany": 60, "germany": 9}),
          ("category", "constant"), merges=(("Germany", "germany"),), left_out=None),
    words("sort codes that are no dates", "sort code",
          drawn("sort", 150, {"10-11-12": 20, "20-45-67": 30, "40-12-09": 25, "30-90-21": 12}),
          ("category", "ordered")),
    words("numbers of houses", "house",
          drawn("house", 200, {"12": 20, "12a": 9, "14": 22, "14b": 7, "3": 30, "7": 25, "7c": 4}),
          ("category", "ordered")),
    words("postal codes of Britain", "postcode area",
          drawn("post", 200, {"SW1A": 20, "E1": 25, "EC2": 15, "N1": 30, "W1": 22, "1E2": 3})),
    words("numbers of rooms with zeros", "office",
          drawn("rooms0", 200, {"001": 20, "002": 25, "014": 15, "107": 30, "110": 22}),
          ("category", "ordered")),
    words("chess", "game", drawn("chess", 150, {"1-0": 50, "0-1": 40, "½-½": 45}),
          ("category", "ordered")),
    words("coded text with commas", "languages",
          drawn("lang", 150, {"de": 60, "de,en": 40, "de,fr": 12, "en": 20, "de,en,fr": 9})),
    words("few people, often", "interviewer", [*people(8) * 18], ("category",)),
)  # fmt: skip

KEPT_WORDS = (*KEPT_YES_NO, *KEPT_SPELLINGS, *KEPT_ORDERED, *KEPT_OUT)
