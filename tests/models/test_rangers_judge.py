"""The judge of rangers on rendered tables counts correctly."""

from __future__ import annotations

from models.train.piece_classifier.rangers_judge import Read, figures, readings


def test_figures_count_found_and_false_rangers_against_the_truth() -> None:
    plain = Read({(0, -1): 0.99, (1, -1): 0.99, (5, 5): 0.2}, frozenset({(0, -1), (1, -1)}))
    fooled = Read({(0, -1): 0.99, (1, -1): 0.7}, frozenset({(0, -1)}))
    blind = Read({(0, -1): 0.6}, frozenset({(2, 2)}))
    said = figures([plain, fooled, blind])
    assert said["rangers"] == 4
    assert said["found"] == 3 / 4
    assert said["false"] == 1 / 4
    nats = said["nats"]
    assert isinstance(nats, dict)
    assert set(nats) == {0.01, 0.03, 0.1, 0.3, 1.0}


def test_tables_without_rangers_say_nothing() -> None:
    reads = list(readings(2, 0.0))
    assert all(read.true for read in reads)
