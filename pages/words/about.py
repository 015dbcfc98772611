"""Wording of the page About."""

LEAD = (
    "CALM Lab simulates how a table of sensitive answers can be collected without anybody giving up "
    "her answers: every person randomises her own report before it leaves her device, and tables over "
    "any few attributes are released from the reports alone. This is **local differential privacy**, and "
    "the method is **CALM**, consistent adaptive local marginals."
)
STEPS = (
    (
        "1. Choose views",
        "A view is a set of *l* attributes that one group of people reports on together. Algorithm 1 "
        "weighs the noise of large views against the sampling error of many small ones, and chooses "
        "*l* and the number of views *m*, before any data is seen.",
        r"\begin{gathered}k\,\mathrm{NE}=k\,\frac{\min(4e^{\varepsilon},\,L-2+e^{\varepsilon})}"
        r"{(e^{\varepsilon}-1)^2}\cdot\frac{L}{l}\cdot\frac{d}{n}\\[6pt] \mathrm{SE}=\frac{m}{n}\end{gathered}",
    ),
    (
        "2. Collect",
        "People are dealt at random into *m* groups. Each sends one report on her group's view, with "
        "all of epsilon. With few cells she names one cell, truthfully with probability *p* "
        "(generalised randomised response); with many she sends one randomised bit per cell "
        "(optimised unary encoding).",
        r"\begin{gathered}\Pr[\text{report}\mid v_1]\le e^{\varepsilon}\,\Pr[\text{report}\mid v_2]\\"
        r"\text{for all answers } v_1, v_2\end{gathered}",
    ),
    (
        "3. Estimate",
        "The number of reports that support a cell, *C*, is corrected for the randomisation. The "
        "estimates are unbiased; some fall below zero.",
        r"\begin{gathered}\hat f(v)=\frac{C(v)/n-q}{p-q}\\[6pt] "
        r"\mathrm{Var}\,\hat f(v)=\frac{f\,p(1-p)+(1-f)\,q(1-q)}{n\,(p-q)^2}\end{gathered}",
    ),
    (
        "4. Make consistent and non-negative",
        "Views that share attributes are made to agree, each weighted by how precise it is. Cells "
        "below zero are repaired by taking from their neighbours, and both steps are repeated a few "
        "times. All of this works on public reports and costs no privacy.",
        "",
    ),
    (
        "5. Release any table",
        "A table over k attributes is what papers call a k-way marginal. If a view holds the attributes, "
        "its cells are summed. Otherwise the table is reconstructed by maximum entropy: the one with the "
        "most entropy is chosen among those that agree with all views. Noise can leave views with which no "
        "table agrees; they are then relaxed step by step. On five data sets this happened on average to "
        "three in four rebuilt tables of three attributes at epsilon = 0.2, to one in three at 1.",
        r"\begin{gathered}\max_{T\ge 0}\;-\sum_v T(v)\log T(v)\\"
        r"\text{with the views' projections kept}\end{gathered}",
    ),
    (
        "How errors are measured",
        "The sum of squared errors over the cells of a table, averaged over tables. Shares are "
        "fractions of all people.",
        r"\mathrm{SSE}=\sum_v\bigl(\hat f(v)-f(v)\bigr)^2",
    ),
)
TRUST = {
    "local": "Local: people randomise their own reports, nobody is trusted",
    "central": "Central: a curator sees all data and adds the noise; shown to see what local costs",
}
LIMITS = (
    "Everything here is a **simulation**: the true tables are shown beside the released ones because "
    "the app has the data. A real collector never has them.",
    "Local privacy needs many people. With a few thousand people, or small epsilon and many values, "
    "the result can be no better than guessing; the app says so where it happens.",
    "Epsilon counts one report per person. Asking the same people again adds up; this app does not "
    "keep that account.",
    "Rebuilt tables assume what maximum entropy assumes: no more dependence than the views show.",
    "Seeds make simulations repeatable. Reports of real people must come from an unpredictable "
    "generator, as the library's own device-side function does.",
    "In the **live classroom** the server sees which phone sends which report for the moment of one request, and could "
    "note it; this program does not keep it, and even if it did, epsilon bounds what the report tells. Stronger "
    "unlinkability needs cryptography that browsers refuse on plain http. A ticket stops double counting and costs that "
    "moment; who clears the browser can join again, which shows as more phones than people. On plain http somebody "
    "in the network could replace the phone page: use https where that matters, and compare its SHA-256. Time until "
    "sending can hint at hesitation; a random delay blurs it. Reports that are counted and closed cannot be found "
    "again, so not withdrawn either. Two surveys on the same question add their epsilon. While a survey is not closed, its "
    "file says on which day the program saw it move last, so that forgotten ones end; nothing says when anybody answered.",
    "Files you upload stay in the memory of this server while their tab is open and 30 minutes longer, or "
    "until you let it forget them on the Data page. While a file is read "
    "or a comparison runs, a copy lies in a temporary folder of the server; both remove it when they end. "
    "The table itself lies there in a file without a name, which goes with it.",
)
SOURCES = (
    "Z. Zhang, T. Wang, N. Li, S. He, J. Chen: *CALM: Consistent Adaptive Local Marginal for Marginal "
    "Release under Local Differential Privacy.* ACM CCS 2018.",
    "W. Qardaji, W. Yang, N. Li: *PriView: Practical Differentially Private Release of Marginal "
    "Contingency Tables.* ACM SIGMOD 2014.",
    "T. Wang, J. Blocki, N. Li, S. Jha: *Locally Differentially Private Protocols for Frequency "
    "Estimation.* USENIX Security 2017.",
    "T. Wang, M. Lopuhaä-Zwakenberg, Z. Li, B. Skoric, N. Li: *Locally Differentially Private "
    "Frequency Estimation with Consistency.* NDSS 2020.",
    "G. Cormode, T. Kulkarni, D. Srivastava: *Marginal Release under Local Differential Privacy.* "
    "ACM SIGMOD 2018.",
    "R. McKenna, R. K. Maity, A. Mazumdar, G. Miklau: *A workload-adaptive mechanism for linear queries "
    "under local differential privacy.* VLDB 2020.",
    "X. Ren et al.: *LoPub: High-Dimensional Crowdsourced Data Publication with Local Differential "
    "Privacy.* IEEE TIFS 2018.",
    "J. Yang, T. Wang, N. Li, X. Cheng, S. Su: *Answering Multi-Dimensional Range Queries under Local "
    "Differential Privacy.* PVLDB 14(3), 2020 (HDG).",
    "D. H. Wolpert: *Stacked Generalization.* Neural Networks 1992.",
    "S. L. Warner: *Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias.* "
    "JASA 1965.",
    "Covering design sizes: D. M. Gordon, *La Jolla Covering Repository*.",
)
CITE = "If a result of this app helps your work, cite the paper of the method and the version used."
BIBTEX = """@inproceedings{zhang2018calm,
  author    = {Zhikun Zhang and Tianhao Wang and Ninghui Li and Shibo He and Jiming Chen},
  title     = {{CALM}: Consistent Adaptive Local Marginal for Marginal Release under
               Local Differential Privacy},
  booktitle = {ACM Conference on Computer and Communications Security (CCS)},
  year      = {2018}
}"""
PACKAGES = ("calm-lab", "streamlit", "numpy", "scipy", "plotly", "pandas", "numba")
LICENCE = "CALM Lab is licensed under Apache-2.0."
