"""House deck `taiga` for Hunters and Gatherers: a northern Stone Age landscape in late summer.

What meets which edge, what is countable and how many copies there are is read from the pack of the published
edition (`structure`); shores, courses and places are ours, found by seeded search (`layouts`, `places`).
"""
