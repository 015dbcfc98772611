"""The live classroom: a survey on the phones of a class, from the questions to what is known of them.

survey says what is asked, dealing who is asked what, store keeps it while it goes on, tallies and export
carry what came in, results says what follows from it, forecast what can be expected before.
"""
