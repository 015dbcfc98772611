"""Scales of words in nine languages, as data: folded (lower case, no accents), from little to much.

Levels are parted by "<", words of one level by "|", scales by lines.
"""

WORD_SCALES = """
never < almost never|hardly ever|very rarely < rarely|seldom < occasionally|once in a while|now and then < sometimes < regularly < often|frequently < usually|most of the time|mostly < very often < almost always|nearly always < always|all the time|every time
never < less often|less than once a year|rarely|seldom < once a year|yearly|annually < several times a year|a few times a year < less than once a month < once a month|monthly < several times a month|a few times a month|2-3 times a month < once a week|weekly < several times a week|a few times a week|2-3 times a week < almost every day|almost daily|most days < every day|daily|once a day < several times a day|more than once a day
nie|niemals < fast nie|sehr selten < selten < gelegentlich|ab und zu|hin und wieder < manchmal < regelmassig < oft|haufig < meistens|meist < sehr oft|sehr haufig < fast immer < immer|stets
nie|niemals < seltener|selten < jahrlich|einmal im jahr < mehrmals im jahr|mehrmals jahrlich|mehrmals pro jahr < monatlich|einmal im monat|einmal pro monat < mehrmals im monat|mehrmals pro monat < wochentlich|einmal pro woche|einmal in der woche < mehrmals pro woche|mehrmals in der woche|mehrmals wochentlich < fast taglich|fast jeden tag < taglich|jeden tag < mehrmals taglich|mehrmals am tag
jamais < presque jamais|tres rarement < rarement < occasionnellement|de temps en temps < parfois|quelquefois < regulierement < souvent|frequemment < la plupart du temps < tres souvent < presque toujours < toujours
jamais < moins souvent|rarement < une fois par an < plusieurs fois par an < une fois par mois|tous les mois < plusieurs fois par mois < une fois par semaine|toutes les semaines < plusieurs fois par semaine < presque tous les jours < tous les jours|chaque jour|quotidiennement < plusieurs fois par jour
nunca|jamas < casi nunca|muy raramente < rara vez|raramente|raras veces < ocasionalmente|de vez en cuando < a veces|algunas veces < regularmente < a menudo|frecuentemente|con frecuencia|muchas veces < muy a menudo|casi siempre < siempre
nunca < menos de una vez al mes|menos a menudo < una vez al ano < varias veces al ano < una vez al mes|mensualmente < varias veces al mes < una vez a la semana|una vez por semana|semanalmente < varias veces a la semana|varias veces por semana < casi todos los dias < todos los dias|cada dia|diariamente|a diario < varias veces al dia
mai < quasi mai|molto raramente < raramente|di rado < occasionalmente|ogni tanto < talvolta|a volte|qualche volta < regolarmente < spesso|frequentemente < molto spesso|il piu delle volte < quasi sempre < sempre
mai < meno spesso|raramente < una volta all anno < alcune volte all anno|piu volte all anno|qualche volta all anno < una volta al mese|mensilmente < alcune volte al mese|piu volte al mese|qualche volta al mese < una volta alla settimana|a settimana|settimanalmente < alcune volte a settimana|piu volte alla settimana|qualche volta a settimana < quasi ogni giorno|quasi tutti i giorni < ogni giorno|tutti i giorni|quotidianamente < piu volte al giorno
nigdy < prawie nigdy|bardzo rzadko < rzadko < czasami|czasem|od czasu do czasu|niekiedy < regularnie < czesto < zazwyczaj|zwykle < bardzo czesto < prawie zawsze < zawsze
nigdy < rzadziej|rzadko < raz w roku|raz na rok < kilka razy w roku < raz w miesiacu|raz na miesiac|co miesiac < kilka razy w miesiacu < raz w tygodniu|raz na tydzien|co tydzien < kilka razy w tygodniu < prawie codziennie < codziennie|kazdego dnia < kilka razy dziennie
nunca|jamais < quase nunca|muito raramente < raramente|poucas vezes < ocasionalmente|de vez em quando < as vezes|por vezes|algumas vezes < regularmente < frequentemente|muitas vezes|com frequencia < quase sempre|muito frequentemente < sempre
nunca < menos frequentemente|raramente < uma vez por ano < varias vezes por ano|algumas vezes por ano < uma vez por mes|mensalmente < varias vezes por mes|algumas vezes por mes < uma vez por semana|semanalmente < varias vezes por semana|algumas vezes por semana < quase todos os dias < todos os dias|diariamente < varias vezes por dia
nooit < bijna nooit|vrijwel nooit|zeer zelden < zelden < af en toe|nu en dan < soms < regelmatig < vaak|dikwijls < meestal < zeer vaak|heel vaak|erg vaak < bijna altijd|vrijwel altijd < altijd
nooit < minder vaak|zelden < jaarlijks|een keer per jaar < enkele keren per jaar|paar keer per jaar < maandelijks|een keer per maand < enkele keren per maand|een paar keer per maand < wekelijks|een keer per week < enkele keren per week|een paar keer per week|meerdere keren per week < bijna dagelijks|bijna elke dag < dagelijks|elke dag < meerdere keren per dag
aldrig < nastan aldrig|mycket sallan < sallan < da och da|emellanat < ibland < regelbundet < ofta < oftast|for det mesta < mycket ofta|valdigt ofta < nastan alltid < alltid
aldrig < mer sallan|mindre ofta|sallan < en gang per ar|arligen < nagra ganger per ar|flera ganger per ar|nagon gang per ar < en gang i manaden|manadsvis|nagon gang i manaden < flera ganger i manaden|nagra ganger i manaden < en gang i veckan|varje vecka|nagon gang i veckan < flera ganger i veckan|nagra ganger i veckan < nastan varje dag < dagligen|varje dag < flera ganger om dagen
none|zero|no < minimal|negligible|very low|lowest < low < below average < medium|moderate|mid|average|normal < above average < high < very high|highest < critical|extreme
trivial|lowest < low|minor < normal|medium < high|major < critical|urgent|highest|very high|severe < blocker|immediate
none|no pain|no|absent|no symptoms < very mild|minimal|slight < mild|light|minor < moderate|medium < serious|severe|strong|major < very severe|very strong|critical|extreme < unbearable|worst possible|life threatening|fatal
keine|kein|keiner < sehr niedrig|sehr gering|sehr schwach|sehr klein < niedrig|gering|schwach|klein < mittel|mittelmassig|massig|normal|mittlere < hoch|stark|gross < sehr hoch|sehr stark|sehr gross < kritisch|dringend|extrem
keine|kein < sehr leicht|sehr mild < leicht|mild|einfach < mittel|mittelschwer|massig|mittelgradig|moderat < schwer|stark|schwierig|schwerwiegend < sehr schwer|sehr stark|sehr schwierig|lebensbedrohlich|unertraglich
aucun|aucune|nul|nulle < tres faible|tres bas|tres basse|tres leger|tres legere < faible|bas|basse|leger|legere < moyen|moyenne|modere|moderee|normal|normale < eleve|elevee|fort|forte|haut|haute|grave|severe < tres eleve|tres elevee|tres fort|tres forte|tres haut|tres grave|tres haute < critique|urgent|urgente|extreme
ninguno|ninguna|nulo|nula < muy bajo|muy baja|muy leve < bajo|baja|leve < medio|media|moderado|moderada|normal < alto|alta|grave|severo|severa|elevado|elevada < muy alto|muy alta|muy grave < critico|critica|urgente|extremo|extrema
nessuno|nessuna|nullo|assente < molto basso|molto bassa|molto lieve < basso|bassa|lieve|leggero|leggera < medio|media|moderato|moderata|normale < alto|alta|grave|elevato|elevata|severo < molto alto|molto alta|molto grave < critico|critica|urgente|estremo
brak < bardzo niski|bardzo niska|bardzo niskie < niski|niska|niskie|lagodny|lagodna|lagodne|lekki|lekka|lekkie|maly|male|mala < sredni|srednia|srednie|umiarkowany|umiarkowana|umiarkowane|normalny < wysoki|wysoka|wysokie|ciezki|ciezka|ciezkie|silny|silna|duzy|duza|duze|powazny < bardzo wysoki|bardzo wysoka|bardzo wysokie|bardzo ciezki|bardzo silny < krytyczny|krytyczna|pilny|pilne
nenhum|nenhuma|nulo|ausente < muito baixo|muito baixa|muito leve < baixo|baixa|leve|ligeiro|ligeira < medio|media|moderado|moderada|normal < alto|alta|grave|elevado|elevada|severo < muito alto|muito alta|muito grave < critico|critica|urgente|extremo
geen < zeer laag|heel laag|erg laag|zeer licht < laag|licht|mild|lichte|gering < gemiddeld|matig|middel|normaal|middelmatig|midden < hoog|ernstig|zwaar|sterk < zeer hoog|heel hoog|erg hoog|zeer ernstig < kritiek|urgent|dringend|extreem|spoed
ingen|inga|inget < mycket lag|mycket lagt|mycket latt|mycket liten < lag|lagt|latt|lindrig|lindriga|liten|mild < medel|mattlig|mattliga|medelhog|normal|mellan|medelsvar < hog|hogt|svar|svara|stor|allvarlig < mycket hog|mycket hogt|mycket svar|mycket stor < kritisk|akut|bradskande|extrem
terrible|awful|horrible|very poor|very bad|unacceptable < poor|bad < below average|needs improvement < fair|average|ok|okay|acceptable|satisfactory|so so|adequate|neutral|mediocre < good|above average < very good|great < excellent|outstanding|exceptional|perfect
poor < fair < good < very good < excellent
unsatisfactory|fails to meet expectations|does not meet expectations|below expectations < needs improvement|partially meets expectations < satisfactory|meets expectations < exceeds expectations|above expectations < outstanding|far exceeds expectations|significantly exceeds expectations
fail < pass < credit|merit < distinction < high distinction
sehr schlecht|katastrophal < schlecht < eher schlecht|weniger gut < mittelmassig|mittel|geht so|durchschnittlich|okay|ok|teils teils|maessig|massig < eher gut|ganz gut|zufriedenstellend < gut < sehr gut < ausgezeichnet|hervorragend|exzellent
ungenugend < mangelhaft < ausreichend|genugend < befriedigend < gut < sehr gut
tres mauvais|tres mauvaise|tres mal|nul < mauvais|mauvaise|mal < mediocre|insuffisant|insuffisante < moyen|moyenne|passable|correct|correcte|acceptable < assez bon|assez bonne|assez bien < bon|bonne|bien < tres bon|tres bonne|tres bien < excellent|excellente
muy malo|muy mala|muy mal|pesimo|pesima < malo|mala|mal|deficiente < regular|aceptable|normal|medio < bueno|buena|bien < muy bueno|muy buena|muy bien < excelente
suspenso|insuficiente < suficiente|aprobado < bien < notable < sobresaliente < matricula de honor
pessimo|pessima|molto cattivo|molto male|gravemente insufficiente < cattivo|cattiva|scarso|scarsa|male|insufficiente < mediocre < sufficiente|accettabile|cosi cosi < discreto|discreta < buono|buona|bene < molto buono|molto buona|distinto|molto bene < ottimo|ottima|eccellente
niedostateczny|niedostateczna < mierny|dopuszczajacy|dopuszczajaca < dostateczny|dostateczna < dobry|dobra < bardzo dobry|bardzo dobra < celujacy|celujaca
bardzo zly|bardzo zla|bardzo zle < zly|zla|zle|slaby|slaba|slabo < przecietny|przecietna|przecietnie|sredni|srednia|srednio|dostatecznie < dobry|dobra|dobrze|dobre < bardzo dobry|bardzo dobra|bardzo dobrze < doskonaly|doskonala|doskonale|znakomicie
muito mau|muito ma|muito ruim|pessimo|pessima|muito mal < mau|ma|ruim|mal|insuficiente < regular|razoavel|suficiente|medio|mais ou menos < bom|boa|bem < muito bom|muito boa|muito bem < otimo|otima|excelente
zeer slecht|heel slecht|erg slecht < slecht|onvoldoende < matig < redelijk|voldoende|gemiddeld|gaat wel < ruim voldoende < goed < zeer goed|heel goed|erg goed < uitstekend
mycket dalig|mycket daligt|mycket daliga < dalig|daligt|daliga < mindre bra|ganska daligt < godkand|godkant|acceptabel|acceptabelt|okej|medel|sadar|varken bra eller daligt|varken eller < ganska bra < bra|god|gott < mycket bra|mycket god|mycket gott < utmarkt|utmarkta
underkand|ej godkand < godkand < val godkand < mycket val godkand
not at all|none < hardly|hardly at all|very little < slightly|a little|a little bit|a bit < somewhat|moderately|to some extent|partly < fairly|quite a bit|considerably|quite < very much|a lot|a great deal|very|mostly < extremely|completely|fully|totally
gar nicht|uberhaupt nicht|garnicht < kaum|sehr wenig < wenig|ein wenig|etwas|ein bisschen < mittelmassig|teilweise|massig|mittel|einigermassen < ziemlich|uberwiegend|eher < stark|sehr|sehr stark|viel < ausserst|voll und ganz|vollstandig|sehr viel|voll|extrem
pas du tout|aucunement < tres peu < un peu|peu < moyennement|partiellement < assez|plutot < beaucoup < enormement|tout a fait|extremement|completement
nada|nada en absoluto < muy poco < poco|un poco < algo|regular|moderadamente < bastante < mucho < muchisimo|totalmente|extremadamente
per niente|per nulla|affatto < pochissimo|molto poco < poco|un po|un poco < abbastanza|cosi cosi < molto < moltissimo|estremamente|del tutto
wcale|wcale nie|w ogole < bardzo malo < malo|troche < umiarkowanie|srednio|czesciowo < dosc|sporo|raczej < bardzo|duzo|mocno < bardzo duzo|calkowicie|ogromnie
nada|de modo nenhum < muito pouco < pouco|um pouco < mais ou menos|moderadamente|medianamente < bastante < muito|muitissimo < extremamente|completamente|totalmente
helemaal niet < nauwelijks|heel weinig < weinig|een beetje|enigszins < matig|redelijk|gedeeltelijk|enigermate < veel|erg|behoorlijk < heel erg|heel veel|zeer|in hoge mate < volledig|helemaal|extreem
inte alls < knappt|mycket lite < lite|litet|nagot < delvis|i viss man|till viss del < ganska mycket|ganska < mycket|i hog grad < valdigt mycket|helt|fullstandigt
definitely not|certainly not < probably not|unlikely|rather not < maybe|not sure|possibly|unsure|perhaps|might or might not < probably|likely < definitely|certainly|very likely
no|no never < no not really|not really < partly|sometimes|a little|maybe < yes mostly|mostly|yes somewhat < yes completely|yes definitely|completely
auf keinen fall|bestimmt nicht|sicher nicht < wahrscheinlich nicht|eher nicht < vielleicht|eventuell < wahrscheinlich|eher ja < auf jeden fall|bestimmt|ganz sicher|sicher
certainement pas|surement pas < probablement pas < peut etre < probablement < certainement|surement
tiny|very small|extra small < small < medium|mid|mid size|medium sized|regular|midsize < large|big < very large|extra large|huge
winzig|sehr klein < klein < mittel|mittelgross < gross < sehr gross|riesig
tres petit|tres petite < petit|petite < moyen|moyenne < grand|grande < tres grand|tres grande
muy pequeno|muy pequena < pequeno|pequena|chico < mediano|mediana|medio|media < grande < muy grande
molto piccolo|molto piccola < piccolo|piccola < medio|media < grande < molto grande
bardzo maly|bardzo mala < maly|mala|male < sredni|srednia|srednie < duzy|duza|duze < bardzo duzy|bardzo duza
muito pequeno|muito pequena < pequeno|pequena < medio|media < grande < muito grande
zeer klein|heel klein < klein < middel|middelgroot|gemiddeld < groot < zeer groot|heel groot
mycket liten|mycket sma < liten|litet|sma < medel|mellan|mellanstor|medelstor < stor|stort|stora < mycket stor|mycket stora
none < few|a few|very few < some|several < many|most|a lot < all
slow|very slow < medium|normal|moderate|average < fast < very fast
no education|no formal education|none|no schooling < primary|primary school|primary education|elementary|elementary school < less than high school|lower secondary|middle school|some high school < secondary|secondary school|high school|high school diploma|upper secondary|high school graduate|secondary education < vocational|vocational training|some college|trade school < associate|associate degree|associate s degree|college|college degree < bachelor|bachelors|bachelor s degree|bachelor s|undergraduate|bachelor degree|university|tertiary < master|masters|master s degree|master s|postgraduate|graduate degree|master degree < doctorate|phd|doctoral degree|ph d|doctoral
kein abschluss|ohne abschluss|keiner < hauptschule|hauptschulabschluss|volksschule < realschule|realschulabschluss|mittlere reife|mittlerer abschluss < fachhochschulreife|fachabitur < abitur|hochschulreife|gymnasium|matura < lehre|ausbildung|berufsausbildung < bachelor|fachhochschule|fh < master|diplom|universitat|hochschule|hochschulabschluss|studium|uni < promotion|doktor
aucun diplome|sans diplome < primaire|ecole primaire < brevet|college < cap|bep|cap bep < bac|baccalaureat|lycee|secondaire < bac+2|dut|bts < licence|bac+3|superieur < master|bac+5|maitrise < doctorat|bac+8
sin estudios|ninguno < primaria|primarios|estudios primarios|educacion primaria < secundaria|secundarios|eso|estudios secundarios|educacion secundaria < bachillerato|fp|formacion profesional < universidad|universitaria|universitarios|grado|licenciatura|superior|superiores < master|maestria|posgrado < doctorado
nessun titolo|nessuno < elementare|licenza elementare|elementari|scuola elementare < media|licenza media|medie|scuola media < diploma|superiori|scuola superiore|maturita < laurea triennale < laurea|laurea magistrale|universita < master < dottorato
brak|niepelne podstawowe < podstawowe < gimnazjalne < zawodowe|zasadnicze zawodowe < srednie|srednie ogolne < policealne < licencjat|licencjackie|wyzsze licencjackie < wyzsze|magister|magisterskie|wyzsze magisterskie < doktorat|doktor
sem escolaridade|nenhuma|analfabeto < fundamental incompleto < fundamental|ensino fundamental|ensino basico|fundamental completo|basico|primario < medio incompleto < medio|ensino medio|ensino secundario|secundario|medio completo < superior incompleto < superior|ensino superior|superior completo|licenciatura|graduacao < pos graduacao|mestrado|especializacao < doutorado|doutoramento
geen|geen opleiding < basisonderwijs|basisschool|lagere school|lager onderwijs < lbo|vmbo|mavo < havo < vwo < mbo < hbo < wo|universiteit < phd|gepromoveerd
forskola|ingen utbildning < grundskola|folkskola < gymnasium|gymnasieskola < yrkeshogskola|yrkesutbildning < hogskola|universitet|hogskola universitet|universitet hogskola|eftergymnasial < forskarutbildning|doktor
infant|baby|toddler < child|children|kid < teenager|teen|adolescent|youth < young adult < adult|adults < middle aged < senior|elderly|old
intern|trainee < junior|entry level|entry < mid|mid level|intermediate|middle|regular < senior < lead|principal|staff < director|executive
beginner|novice|none < elementary|basic|pre intermediate < intermediate < upper intermediate < advanced|proficient < expert|fluent < native|native speaker
anfanger|keine|einsteiger < grundkenntnisse < fortgeschritten|gut|mittel < sehr gut|profi|fliessend < experte|muttersprache|verhandlungssicher
debutant < intermediaire < avance|courant < expert|bilingue|langue maternelle
principiante < intermedio|medio < avanzado|avanzato < experto|esperto
bronze < silver < gold < platinum < diamond
first < second < third < fourth < fifth < sixth < seventh < eighth < ninth < tenth
monday|mon < tuesday|tue|tues < wednesday|wed < thursday|thu|thur|thurs < friday|fri < saturday|sat < sunday|sun
montag|mo < dienstag|di < mittwoch|mi < donnerstag|do < freitag|fr < samstag|sonnabend|sa < sonntag|so
lundi|lun < mardi|mar < mercredi|mer < jeudi|jeu < vendredi|ven < samedi|sam < dimanche|dim
lunes|lun < martes|mar < miercoles|mie < jueves|jue < viernes|vie < sabado|sab < domingo|dom
lunedi|lun < martedi|mar < mercoledi|mer < giovedi|gio < venerdi|ven < sabato|sab < domenica|dom
poniedzialek|pon|pn < wtorek|wt < sroda|sr < czwartek|czw|cz < piatek|pt < sobota|sob|sb < niedziela|ndz|nd
segunda|segunda feira|seg < terca|terca feira|ter < quarta|quarta feira|qua < quinta|quinta feira|qui < sexta|sexta feira|sex < sabado|sab < domingo|dom
maandag|ma < dinsdag|di < woensdag|wo < donderdag|do < vrijdag|vr < zaterdag|za < zondag|zo
mandag|man < tisdag|tis < onsdag|ons < torsdag|tors|tor < fredag|fre < lordag|lor < sondag|son
"""

# By language: what turns a phrase round, how strong words make it, what is filling, what stands in the
# middle, and the poles by subject: "+" before those who say yes to it and "-" before the opposites.
# "*" is any ending. A phrase that negates may be of a strength of its own.
POLAR = {
    "en": """
negate: not|dont|doesnt|isnt|never
negate 4.5: not at all
negate 1: not very|not really|not so|not that|not too|not particularly|hardly
strong 4.2: extremely|absolutely
strong 4: strongly|completely|totally|fully|entirely|definitely
strong 3: very|highly|much|a lot|far|significantly|certainly|greatly
strong 1.5: mostly|generally|quite|largely|fairly
strong 1: somewhat|rather|partly|partially|moderately|tend to|probably|more or less|reasonably
strong 0.8: slightly|a little|a bit|little bit|mildly
filling: i|am|is|are|it|this|the|to|a|with|me|of|would|will|do|do not know if|feel|say|than|before|usual
middle: neutral|undecided|mixed|so so|about the same|the same|same|no change|unchanged|unsure|not sure|average|indifferent|no difference|as before
both: neither|nor
poles: +agree* -disagree*; +satisfied +content -dissatisfied -unsatisfied; +likely -unlikely; +probable -improbable; +important -unimportant; +easy -difficult -hard; +happy -unhappy; +good -bad -poor; +useful +helpful -useless -unhelpful; +comfortable -uncomfortable; +safe -unsafe; +confident; +interested -uninterested; +familiar -unfamiliar; +concerned -unconcerned; +worried; +healthy -unhealthy; +clear -unclear; +fair -unfair; +favourable +favorable -unfavourable -unfavorable; +support -oppose; +favour +favor -oppose; +acceptable -unacceptable; +true -untrue -false; +willing -unwilling; +aware -unaware; +better -worse; +improved -worsened; +higher -lower; +increased -decreased; +more -less; +often; +strong -weak; +satisfying; +effective -ineffective; +difficult; +stressed; +appropriate -inappropriate; +yes -no; +trust -distrust; +liberal -conservative; +active -inactive; +relevant -irrelevant; +valuable; +motivated -unmotivated; +tired; +painful; +pleasant -unpleasant; +reliable -unreliable; +like -dislike; +warm -cold; +hot -cold; +early -late; +positive -negative
""",
    "de": """
negate: nicht|kein|keine
negate 4.5: uberhaupt nicht|gar nicht|absolut nicht|ganz und gar nicht
negate 1: weniger|kaum|nicht so|nicht sehr|nicht besonders|eher nicht
strong 4.2: extrem|ausserst|absolut
strong 4: voll|voll und ganz|vollig|vollkommen|vollstandig|ganz|komplett|total|stark|genau|bestimmt|auf jeden fall
strong 3: sehr|viel|deutlich|wesentlich
strong 1.5: uberwiegend|ziemlich|weitgehend|grosstenteils|meistens|im grossen und ganzen
strong 1: eher|etwas|teilweise|einigermassen|massig|mittelmassig|zum teil|bedingt|teils
strong 0.8: ein wenig|ein bisschen|geringfugig
filling: ich|bin|ist|es|der|die|das|dem|aussage|damit|zu|mit|es war|ab|auf mich|mich
middle: neutral|teils teils|weder noch|unentschieden|unentschlossen|egal|mittel|mittelmassig|gleich|unverandert|gleich geblieben|wie vorher|ungefahr gleich|genauso|teils|geht so|etwa gleich|bin unentschieden
both: weder|noch
poles: +stimm* +zustimm* +einverstanden -lehne -ablehn* -widerspreche; +trifft +zutreffend +zutreffen; +zufrieden -unzufrieden; +wahrscheinlich -unwahrscheinlich; +wichtig -unwichtig; +einfach +leicht -schwierig -schwer; +glucklich -unglucklich; +gut -schlecht; +hilfreich +nutzlich; +interessiert -uninteressiert; +sicher -unsicher; +besser -schlechter; +verbessert -verschlechtert; +hoher -niedriger; +mehr -weniger; +klar -unklar; +ja -nein; +dafur -dagegen; +belastet; +bekannt -unbekannt; +angenehm -unangenehm; +verstandlich -unverstandlich; +geeignet -ungeeignet; +haufig; +vertrau*; +gesund -ungesund; +gern -ungern; +links -rechts
""",
    "fr": """
negate: pas|non
negate 4.5: pas du tout|absolument pas
negate 1: peu|pas tres|pas vraiment|pas tellement
negate 3: tres peu
strong 4.2: extremement|absolument
strong 4: tout a fait|totalement|completement|entierement|fortement|pleinement|certainement
strong 3: tres|beaucoup|nettement|bien
strong 1.5: assez
strong 1: plutot|moyennement|partiellement|en partie|moderement|probablement
strong 0.8: un peu|legerement
filling: je|suis|ne|d|de|en|c|est|s|se|le|la|l|y
middle: neutre|indifferent|indifferente|indecis|indecise|moyen|mitige|pareil|identique|inchange|sans changement|la meme chose|stable|comme avant|moyennement|ni l un ni l autre
both: ni
poles: +accord -desaccord; +satisfait* -insatisfait* -mecontent*; +probable* -improbable*; +important*; +facile* -difficile*; +content* -mecontent*; +bon +bonne -mauvais*; +utile* -inutile*; +favorable* -defavorable* -oppose*; +interess*; +clair* ; +confortable* -inconfortable*; +mieux -moins bien -pire; +ameliore* -degrade* -deteriore*; +plus -moins; +meilleur* -pire; +oui -non; +vrai -faux; +sur -incertain; +heureux +heureuse -malheureux; +inquiet +inquiete; +efficace* -inefficace*; +agreable* -desagreable*; +confiance; +augmente -diminue
""",
    "es": """
negate: no
negate 4.5: nada|para nada|en absoluto
negate 1: poco|no muy|no mucho
negate 3: muy poco
strong 4.2: extremadamente|absolutamente
strong 4: totalmente|completamente|plenamente|fuertemente|definitivamente|del todo
strong 3: muy|mucho
strong 1.5: bastante
strong 1: algo|mas bien|parcialmente|en parte|moderadamente|medianamente|probablemente
strong 0.8: un poco|ligeramente
filling: de|en|estoy|es|me|lo|la|que|ha
middle: neutral|neutro|indiferente|indeciso|indecisa|regular|igual|sin cambios|lo mismo|mas o menos
both: ni
poles: +acuerdo -desacuerdo; +satisfech* -insatisfech*; +probable* -improbable*; +important* ; +facil* -dificil*; +content* -descontent*; +buen* -mal*; +util*  -inutil*; +favorable* -desfavorable*; +interesad*; +clar*; +mejor* -peor* ; +mas -menos; +si -no; +segur* -insegur*; +feliz -infeliz; +preocupad*; +comod* -incomod*; +a favor -en contra; +confianza; +eficaz
""",
    "it": """
negate: non|no
negate 4.5: per niente|per nulla|affatto|niente affatto|niente
negate 1: poco|non molto|non tanto|non proprio
negate 3: molto poco
strong 4.2: estremamente|assolutamente
strong 4: totalmente|completamente|del tutto|pienamente|fortemente|decisamente|certamente
strong 3: molto|assai
strong 1.5: abbastanza
strong 1: piuttosto|parzialmente|in parte|moderatamente|mediamente|probabilmente|tendenzialmente
strong 0.8: un po|leggermente
filling: d|di|in|sono|e|mi|l|lo
middle: neutrale|neutro|indifferente|incerto|incerta|indeciso|indecisa|uguale|come prima|invariato|cosi cosi|medio
both: ne
poles: +accordo -disaccordo; +soddisfatt* -insoddisfatt*; +probabil* -improbabil*; +important*; +facil* -difficil*; +content* -scontent*; +buon* -cattiv*; +util* -inutil*; +favorevol* -contrari* -sfavorevol*; +interessat*; +chiar*; +miglior* -peggior* ; +meglio -peggio; +piu -meno; +si -no; +sicur* -insicur*; +felic* -infelic*; +preoccupat*; +comod* -scomod*; +fiducia; +efficac*
""",
    "pt": """
negate: nao
negate 4.5: nada|de modo algum|de forma alguma
negate 1: pouco|nao muito
negate 3: muito pouco
strong 4.2: extremamente|absolutamente
strong 4: totalmente|completamente|plenamente|fortemente|inteiramente|definitivamente
strong 3: muito
strong 1.5: bastante
strong 1: parcialmente|em parte|moderadamente|razoavelmente|medianamente|provavelmente|mais ou menos|algo
strong 0.8: um pouco|ligeiramente
filling: de|em|estou|e|me|o|a
middle: neutro|neutra|indiferente|indeciso|indecisa|regular|igual|na mesma|sem alteracao|mais ou menos
both: nem
poles: +concord* -discord*; +acordo -desacordo; +satisfeit* -insatisfeit*; +provave* -improvave*; +important*; +facil* +faceis -dificil* -dificeis; +content* -descontent*; +bom +boa -mau -ma -ruim; +util* -inutil*; +favorave* -desfavorave*; +interessad*; +clar*; +melhor* -pior* ; +mais -menos; +sim -nao; +segur* -insegur*; +feliz -infeliz; +preocupad*; +confiante; +eficaz
""",
    "nl": """
negate: niet|geen
negate 4.5: helemaal niet|totaal niet|absoluut niet
negate 1: weinig|niet zo|niet erg|niet echt|niet heel|niet zeer|nauwelijks
strong 4.2: extreem|uiterst|absoluut
strong 4: helemaal|volledig|volkomen|sterk|geheel|totaal|zeker
strong 3: zeer|heel|erg|veel|duidelijk
strong 1.5: grotendeels|redelijk|tamelijk|vrij|best|overwegend
strong 1: enigszins|deels|gedeeltelijk|eerder|matig|iets|waarschijnlijk|een beetje
filling: mee|ermee|het|ik|ben|is|er|met|de|stelling
middle: neutraal|noch eens noch oneens|niet eens niet oneens|niet mee eens niet mee oneens|niet eens en niet oneens|niet eens of oneens|gemiddeld|gelijk|hetzelfde|onveranderd|ongeveer hetzelfde|weet ik niet zeker|niet mee eens en niet mee oneens|geen mening neutraal
both: noch|niet oneens niet
poles: +eens -oneens; +tevreden -ontevreden; +waarschijnlijk -onwaarschijnlijk; +belangrijk -onbelangrijk; +makkelijk +gemakkelijk -moeilijk; +goed -slecht; +nuttig -nutteloos; +blij; +gelukkig -ongelukkig; +duidelijk -onduidelijk; +beter -slechter; +meer -minder; +ja -nee; +zeker -onzeker; +veilig -onveilig; +interessant; +geinteresseerd; +van toepassing; +hoger -lager; +voor -tegen; +bezorgd; +vertrouwen; +prettig -onprettig
""",
    "sv": """
negate: inte|ej|icke
negate 4.5: inte alls
negate 1: inte sarskilt|inte sa|inte direkt|foga|mindre
strong 4.2: extremt|absolut
strong 4: helt|fullstandigt|helt och hallet|totalt|starkt|definitivt
strong 3: mycket|valdigt|i hog grad|klart
strong 1.5: ganska|till stor del|i stort sett
strong 1: delvis|nagot|till viss del|i viss man|nagorlunda|snarare|troligen
strong 0.8: lite|en aning|lite grann
filling: jag|ar|med|det|tar|i|om|den|haller
middle: neutral|neutralt|varken eller|varken instammer eller tar avstand|oforandrat|samma|som forut|likadant|oforandrad|osaker|tveksam
both: varken|eller
poles: +instammer +haller med -avstand; +haller -avstand; +nojd* -missnojd*; +sannolik* -osannolik*; +trolig* -otrolig*; +viktig* -oviktig*; +latt +enkelt -svart -svar; +bra -dalig*; +anvandbar* -oanvandbar*; +glad; +saker* -osaker*; +trygg* -otrygg*; +battre -samre; +mer -mindre; +ja -nej; +intresserad* -ointresserad*; +hogre -lagre; +for -emot; +orolig*; +tydlig* -otydlig*; +fortroende; +stammer
""",
    "pl": """
negate: nie
negate 4.5: wcale nie|w ogole nie|calkowicie nie
negate 1: malo|nie bardzo|niezbyt|nie za bardzo
strong 4.2: niezwykle|ogromnie|skrajnie
strong 4: zdecydowanie|calkowicie|w pelni|absolutnie|mocno|stanowczo
strong 3: bardzo|duzo|znacznie
strong 1.5: w wiekszosci|calkiem
strong 1: raczej|czesciowo|dosc|umiarkowanie|srednio|w miare
strong 0.8: troche|nieco|odrobine
filling: sie|jestem|z|to|tym|a
middle: neutralnie|neutralny|neutralna|neutralne|obojetne|obojetnie|obojetny|trudno powiedziec|ani tak ani nie|bez zmian|tak samo|ani ani|nie mam zdania|srednio|przecietnie
both: ani
poles: +zgadzam -niezgadzam; +zadowolon* +zadowalaj* +usatysfakcjonowan* -niezadowolon*; +prawdopodobn* -nieprawdopodobn*; +wazn* -niewazn* -niewazne; +latw* -trudn*; +dobr* -zl*; +przydatn* +uzyteczn* -nieprzydatn*; +szczesliw* -nieszczesliw*; +lepiej +lepszy -gorzej -gorszy; +wiecej -mniej; +tak; +pewn* -niepewn*; +bezpieczn* -niebezpieczn*; +zainteresowan* -niezainteresowan*; +jasn* -niejasn*; +istotn* -nieistotn*; +za -przeciw; +zaniepokojon*; +ufam; +wyzsz* -nizsz*
""",
}

# Words around the numbers of bands: "under 18", "65 und älter", "1.000 bis unter 2.000", "18 à 24 ans".
BELOW = (
    "under|less than|below|up to|fewer than|younger than|not more than|at most|no more than|until|"
    "unter|weniger als|bis zu|bis unter|bis|hochstens|junger als|maximal|moins de|moins d|jusqu a|jusqu|au plus|"
    "inferieur a|menos de|hasta|menor de|menores de|inferior a|por debajo de|meno di|fino a|sotto i|sotto|al di sotto di|"
    "inferiore a|ponizej|mniej niz|do|ate|abaixo de|menor que|minder dan|tot en met|tot|jonger dan|onder de|onder|"
    "hoogstens|mindre an|yngre an|upp till|under|hogst|lagre an|max|<=|=<|<|≤"
)
ABOVE = (
    "over|more than|above|at least|older than|greater than|from|uber|mehr als|ab|mindestens|alter als|plus de|"
    "au moins|a partir de|superieur a|plus d|mas de|al menos|desde|mayor de|mayores de|superior a|mayor que|piu di|"
    "oltre i|oltre|almeno|superiore a|dai|powyzej|wiecej niz|ponad|co najmniej|mais de|acima de|maior que|pelo menos|"
    "meer dan|boven de|boven|ouder dan|vanaf|minstens|mer an|over|aldre an|fran|minst|>=|=>|>|≥"
)
FROM = "from|between|von|zwischen|de|entre|da|dai|tra|fra|od|van|tussen|fran|mellan|circa|age|aged|ages|alter"
TO = "to|and|bis|bis unter|und|a|a moins de|et|y|al|e|ad|ai|do|ate|tot|t/m|tot en met|en|till|til|och|through|until|a menos de|i"
MORE = (
    "more|over|above|older|up|greater|higher|upwards|mehr|alter|daruber|hoher|plus|davantage|au dela|plus age|mas|"
    "mayores|superior|piu|oltre|wiecej|starsi|starszy|wyzej|powyzej|mais|acima|meer|ouder|hoger|daarboven|mer|aldre|daover|uppat"
)
LESS = (
    "less|under|below|younger|fewer|lower|weniger|junger|darunter|moins|menos|menores|meno|mniej|mlodsi|ponizej|minder|jonger|"
    "lager|mindre|yngre"
)
AND = "and|or|und|oder|et|ou|y|o|e|i|lub|en|of|och|eller"
NOTHING = (
    "none|nothing|no income|zero|never|no|keine|keins|kein|nichts|kein einkommen|aucun|aucune|rien|ninguno|ninguna|nada|"
    "nessuno|nessuna|niente|brak|zadne|nenhum|nenhuma|geen|niets|ingen|inga|inget|not any"
)
# Before a number that says which step it is: "Stage 2", "Klasse 5", "niveau 3".
STEPS = (
    "stage|level|grade|step|year|phase|tier|class|degree|quartile|quintile|decile|wave|round|week|semester|term|generation|"
    "stufe|stadium|grad|klasse|phase|niveau|jahr|jahrgang|semester|kategorie|pflegegrad|schritt|welle|runde|woche|quartal|"
    "stade|classe|annee|etape|nivel|grado|etapa|clase|ano|semestre|livello|stadio|fase|anno|poziom|stopien|etap|klasa|rok|semestr|"
    "serie|graad|stap|jaar|leerjaar|groep|niva|steg|arskurs|ar|termin|trin|asa|nyha|kl"
)
# Of letters alone only a name says that they are marks or labels.
MARK_NAME = (
    r"grade|mark|note|voto|nota|betyg|ocena|cijfer|rating|score|label|energ|klass|class|classe|zensur|level|niveau|"
    r"rank|tier|etykieta|efficien|effizienz|bewertung|resultat|result|quality|qualit"
)
