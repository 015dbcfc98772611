"""Why view sizes are rejected, against the comparisons of Algorithm 1."""

import math

from calm_core.planning.algorithm1 import choose_views
from calm_core.planning.candidate_reasons import (
    RejectionReason,
    find_largest_quiet_view,
    find_rejection_reasons,
    view_sizes,
)

ASKED = [
    {"n": n, "sizes": sizes, "epsilon": epsilon, "k": k}
    for n in (1000, 60_000, 2**18)
    for sizes in ((2,) * 8, (2,) * 16, (2, 3, 5, 4, 2, 7), (3, 2))
    for epsilon in (0.2, 1.0, 2.0, 4.0)
    for k in (1, 2, 3, 6)
    if k <= len(sizes)
]
THETAS = (1e-4, 1e-3, 5e-3, 0.1)


def every_choice():
    for asked in ASKED:
        for theta in THETAS:
            yield asked, theta, choose_views(**asked, theta=theta), view_sizes(**asked)


def test_errors_are_those_of_algorithm_1():
    for _asked, _theta, choice, sizes in every_choice():
        by_l = {size.l: size for size in sizes}
        for weighed in choice.candidates:
            same = by_l[weighed.l]
            assert math.isclose(same.noise_error, weighed.noise_error)
            if weighed.covering is not None:
                assert same.covering == weighed.covering
                assert same.sampling_error == weighed.sampling_error


def test_reasons_agree_with_the_errors():
    met = set()
    for asked, theta, choice, sizes in every_choice():
        found, k = find_rejection_reasons(choice, sizes, asked["k"]), asked["k"]
        by_l = {size.l: size for size in sizes}
        assert [size for size, why in found.items() if why is RejectionReason.CHOSEN] == [choice.l]
        best = by_l[choice.l]
        for l, reason in found.items():  # noqa: E741
            size, met = by_l[l], met | {reason}
            if reason is RejectionReason.NOISE:
                assert size.noise_error > theta
            elif reason is RejectionReason.TOO_FEW:
                assert l < k <= find_largest_quiet_view(choice)
            elif reason is RejectionReason.GROUPS:
                assert size.covering > choice.max_views and l >= k
            elif reason is RejectionReason.SAMPLING:
                assert size.sampling_error > size.noise_error
                assert size.sampling_error >= max(best.noise_error, best.sampling_error)
            elif reason is RejectionReason.BALANCE:
                assert size.noise_error >= max(
                    size.sampling_error, max(best.noise_error, best.sampling_error) * (1 - 1e-9)
                )
            elif reason is RejectionReason.SMALLER:
                assert l < choice.l < k
            elif reason is RejectionReason.MORE_GROUPS:
                assert k <= l < choice.l and size.covering >= best.covering > choice.max_views
    assert met == set(RejectionReason)


def test_views_with_too_many_cells_are_left_out():
    for epsilon in (0.05, 10.0):
        sizes = view_sizes(1000, (10,) * 12, epsilon, 3)
        assert [size.l for size in sizes] == [2, 3, 4, 5, 6, 7]
