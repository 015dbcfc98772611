"""Yes and no, categories with their spellings, ordered scales, and words that stand for missing."""

from tests.ingest.messy.column import drawn, words

NO_YES = ("yes/no",)
WORDS = ("yes/no", "category")

YES_NO = (
    words("yes and no in German", "Raucher", drawn("ja", 80, {"ja": 3, "nein": 5}), NO_YES),
    words("yes and no in French", "fumeur", drawn("oui", 80, {"oui": 3, "non": 5}), NO_YES),
    words("yes and no in Spanish", "fuma", drawn("si", 80, {"sí": 3, "no": 5}), NO_YES),
    words("yes and no in Italian", "fumatore", drawn("sì", 80, {"Sì": 3, "No": 5}), NO_YES),
    words("yes and no in Polish", "palacz", drawn("tak", 80, {"Tak": 3, "Nie": 5}), NO_YES),
    words("zeros and ones", "diabetes", drawn("01", 120, {"0": 9, "1": 2}), NO_YES),
    words("zeros and ones of a float column", "ill", drawn("float", 90, {"0.0": 9, "1.0": 2, "": 1}),
          NO_YES),
    words("TRUE and FALSE", "member", drawn("true", 60, {"TRUE": 3, "FALSE": 5}), NO_YES),
    words("Y and N with empty cells", "insured", drawn("yn", 60, {"Y": 3, "N": 5, "": 1}), NO_YES),
    words(
        "yes in four spellings, no in two", "smokes",
        drawn("yes4", 150, {"Yes": 40, "yes": 25, "YES": 6, "Yes?": 2, "No": 50, "no": 20}),
        WORDS, merges=(("Yes", "yes", "YES", "Yes?"), ("No", "no")),
    ),
    words(
        "yes, y and true beside no and n", "insured",
        drawn("yny", 150, {"yes": 40, "y": 12, "Y": 5, "no": 50, "n": 14, "N": 3}),
        WORDS, merges=(("yes", "y", "Y"), ("no", "n", "N")),
    ),
    words(
        "yes, no and what stands for neither", "owns a car",
        drawn("maybe", 120, {"yes": 40, "no": 50, "unknown": 6, "n/a": 4}),
        WORDS, told=("unknown", "n/a"),
    ),
    words(
        "zeros and ones and nines", "vaccinated", drawn("019", 140, {"0": 40, "1": 80, "9": 9}),
        ("yes/no", "category", "ordered"), proposed=("9",),
    ),
    words(
        "a cross or nothing", "subscribed", drawn("x", 70, {"x": 3, "": 4}),
        ("yes/no", "category", "constant"), left_out=None,
    ),
    words("north and south", "Hemisphere", drawn("n s", 90, {"N": 5, "S": 3}), ("category",), shown=("N", "S")),
    words("north and south with a dash", "half", drawn("n s -", 90, {"S": 5, "N": 3, "-": 1}),
          ("category",), shown=("N", "S"), told=("-",)),
    words("new and old", "condition", drawn("n o", 90, {"O": 5, "N": 3}), ("category",), shown=("N", "O")),
    words("new and old in two cases", "state", drawn("n o o", 90, {"O": 5, "N": 3, "o": 2, "n": 1}),
          ("category",), shown=("N", "O", "n", "o"), merges=(("O", "o"), ("N", "n"))),
    words("fiction and textbooks", "shelf", drawn("f t", 90, {"F": 5, "T": 3}), ("category",), shown=("F", "T")),
    words("letters of an unknown language", "Raucher", drawn("n j", 90, {"N": 5, "J": 3}), ("category",),
          shown=("N", "J")),
    words("the switch is on or off", "heating", drawn("on off", 90, {"On": 5, "Off": 3}), WORDS,
          shown=("On", "Off")),
    words("zeros and ones and minus ones", "treated", drawn("01-1", 140, {"0": 40, "1": 80, "-1": 9}),
          ("yes/no", "category", "ordered"), proposed=("-1",)),
    words("tick marks", "done", drawn("tick", 70, {"✓": 3, "✗": 4}), WORDS),
)  # fmt: skip

SPELLINGS = (
    words(
        "case and blanks", "sex",
        drawn("sex", 150, {"Male": 40, "male": 20, "MALE ": 3, "Female": 50, "female": 10, " Female": 4}),
        merges=(("Male", "male", "MALE"), ("Female", "female")),
    ),
    words(
        "letters beside words", "gender",
        drawn("gender", 150, {"Male": 40, "M": 20, "m": 4, "Female": 50, "F": 15, "f": 3}),
        merges=(("Male", "M", "m"), ("Female", "F", "f")),
    ),
    words(
        "accents", "ville",
        drawn("ville", 120, {"Orléans": 30, "Orleans": 8, "Besançon": 25, "Besancon": 5, "Nice": 20}),
        merges=(("Orléans", "Orleans"), ("Besançon", "Besancon")),
    ),
    words(
        "singular and plural", "pet",
        drawn("pet", 120, {"cat": 30, "cats": 9, "dog": 40, "dogs": 11, "fish": 10, "horse": 5}),
        merges=(("cat", "cats"), ("dog", "dogs")),
    ),
    words(
        "hyphens, points and doubled blanks", "employment",
        drawn("job", 140, {"self-employed": 30, "self employed": 9, "Self-employed": 7, "full time": 40,
                           "full  time": 3, "full-time": 12, "retired": 20, "retired.": 2}),
        merges=(("self-employed", "self employed", "Self-employed"),
                ("full time", "full  time", "full-time"), ("retired", "retired.")),
    ),
    words(
        "a slip of the finger", "department",
        drawn("dept", 160, {"Accounting": 40, "Acounting": 1, "Marketing": 40, "Markeing": 1,
                            "Research": 30, "Logistics": 25}),
        merges=(), may_merge=(("Accounting", "Acounting"), ("Marketing", "Markeing")),
    ),
    words(
        "names alike that are not the same", "city",
        drawn("city", 160, {"Bern": 20, "Berlin": 40, "Bonn": 20, "Born": 5, "Essen": 10, "Hessen": 8}),
    ),
    words("grades that differ only by a sign", "grade",
          drawn("grade", 160, {"A": 20, "A-": 15, "B+": 30, "B": 30, "B-": 12, "C+": 9, "C": 8}),
          ("category", "ordered")),
    words("blood groups", "blood group",
          drawn("blood", 160, {"A+": 35, "A-": 7, "B+": 9, "B-": 2, "AB+": 3, "AB-": 1, "0+": 30, "0-": 6})),
    words(
        "M is not always for male", "size",
        drawn("size", 120, {"S": 20, "M": 30, "L": 25, "XL": 9, "XXL": 3}),
        ("ordered", "category"), order=("S", "M", "L", "XL", "XXL"),
    ),
    words("letters of several alphabets", "город",
          drawn("город", 100, {"Москва": 30, "Казань": 20, "Самара": 10, "東京": 5})),
    words("faces", "mood", drawn("mood", 100, {"😀": 30, "😐": 20, "☹️": 10})),
    words("countries with a code apart", "country",
          drawn("country", 150, {"Niger": 10, "Nigeria": 20, "Austria": 30, "Australia": 30, "Iran": 9,
                                 "Iraq": 8})),
)  # fmt: skip

ORDERED = (
    words(
        "ranges of age", "age group",
        drawn("ages", 150, {"20-29": 30, "30-39": 30, "40-49": 20, "50-64": 20, "65+": 25, "<20": 9}),
        ("ordered",), order=("<20", "20-29", "30-39", "40-49", "50-64", "65+"),
    ),
    words(
        "ranges with a dash of the typesetter, in thousands", "income band",
        drawn("bands", 150, {"under 10k": 10, "10k–25k": 30, "25k–50k": 30, "50k–100k": 15,
                             "over 100k": 9}),
        ("ordered",), order=("under 10k", "10k–25k", "25k–50k", "50k–100k", "over 100k"),
    ),
    words(
        "half-open intervals", "bmi class",
        drawn("bmi", 150, {"[0.0, 18.5)": 5, "[18.5, 25.0)": 60, "[25.0, 30.0)": 50, "[30.0, 35.0)": 20}),
        ("ordered",), order=("[0.0, 18.5)", "[18.5, 25.0)", "[25.0, 30.0)", "[30.0, 35.0)"),
    ),
    words(
        "numbered answers", "I trust the state",
        drawn("likert", 150, {"1 - strongly disagree": 10, "2 - disagree": 20, "3 - neutral": 40,
                              "4 - agree": 30, "5 - strongly agree": 12}),
        ("ordered",), order=("1 - strongly disagree", "2 - disagree", "3 - neutral", "4 - agree",
                             "5 - strongly agree"),
    ),
    words(
        "agreement in words", "statement 3",
        drawn("agree", 150, {"Strongly disagree": 10, "Disagree": 20, "Neutral": 40, "Agree": 30,
                             "Strongly agree": 12}),
        ("ordered",),
        order=("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"),
    ),
    words(
        "how often", "eats fish",
        drawn("often", 150, {"never": 10, "rarely": 20, "sometimes": 40, "often": 30, "always": 12}),
        ("ordered",), order=("never", "rarely", "sometimes", "often", "always"),
    ),
    words(
        "severity, where none is a value", "pain",
        drawn("pain", 150, {"none": 60, "mild": 40, "moderate": 20, "severe": 7}),
        ("ordered",), order=("none", "mild", "moderate", "severe"), maybe=("none",),
    ),
    words(
        "few whole numbers", "children",
        drawn("children", 150, {"0": 60, "1": 40, "2": 45, "3": 20, "4": 7, "5": 2}),
        ("ordered", "number"), order=("0", "1", "2", "3", "4", "5"),
    ),
    words(
        "few whole numbers and one open end", "rooms",
        drawn("rooms", 150, {"1": 20, "2": 40, "3": 45, "4": 20, "5+": 12}),
        ("ordered", "category"), order=("1", "2", "3", "4", "5+"),
    ),
    words(
        "codes 1 to 5 with 8 and 9 for no answer", "health",
        drawn("codes", 200, {"1": 30, "2": 60, "3": 50, "4": 30, "5": 9, "8": 5, "9": 8}),
        ("ordered", "category", "number"), maybe=("8", "9"),
    ),
    words(
        "codes with 99", "occupation code",
        drawn("codes99", 200, {"1": 30, "2": 60, "3": 50, "4": 30, "5": 9, "6": 12, "99": 10}),
        ("ordered", "category", "number"), proposed=("99",),
    ),
    words(
        "class of a school", "grade level",
        drawn("school", 150, {"9th": 20, "10th": 25, "11th": 30, "12th": 28}),
        ("ordered", "category"),
    ),
    words("days of the week", "weekday",
          drawn("week", 150, {"Mon": 5, "Tue": 5, "Wed": 5, "Thu": 5, "Fri": 7, "Sat": 2, "Sun": 1}),
          ("category", "ordered")),
)  # fmt: skip

STAND_FOR_NOTHING = (
    words(
        "question marks among words", "workclass",
        drawn("work", 150, {"Private": 90, "State": 20, "Self": 15, "?": 12}), told=("?",),
    ),
    words(
        "n/a, dash, point and blank among words", "religion",
        drawn("religion", 180, {"catholic": 40, "protestant": 40, "muslim": 10, "n/a": 6, "-": 5, ".": 3,
                                "": 7}),
        told=("n/a", "-", "."),
    ),
    words(
        "none and unknown, which may be answers", "allergy",
        drawn("allergy", 180, {"pollen": 30, "dust": 20, "none": 80, "unknown": 12}),
        proposed=("unknown",), maybe=("none",),
    ),
    words(
        "missing in capital letters and errors", "region",
        drawn("region", 180, {"north": 30, "south": 20, "west": 40, "NULL": 5, "#N/A": 4, "N.A.": 6}),
        told=("NULL", "#N/A", "N.A."), may_merge=(("NULL", "#N/A", "N.A."),),
    ),
    words(
        "no answer in other languages", "Familienstand",
        drawn("stand", 180, {"ledig": 40, "verheiratet": 60, "geschieden": 20, "k.A.": 6,
                             "keine Angabe": 8}),
        maybe=("k.A.", "keine Angabe"), may_merge=(("k.A.", "keine Angabe"),),
    ),
    words(
        "NA is Namibia", "country code",
        drawn("namibia", 200, {"DE": 40, "FR": 40, "IT": 30, "NA": 6, "ZA": 9, "BW": 7, "CH": 12}),
        proposed=("NA",),
    ),
    words("Null is a family name among few", "team",
          drawn("team", 120, {"Null": 20, "Smith": 25, "Garcia": 30, "Meyer": 25}), maybe=("Null",)),
)  # fmt: skip

WORD_COLUMNS = (*YES_NO, *SPELLINGS, *ORDERED, *STAND_FOR_NOTHING)
