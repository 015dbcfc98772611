"""What is compiled is compiled once per machine, not by every process anew."""

from calm_core.collection import simulation, tally
from calm_core.oracles import olh
from calm_core.tables import counting


def test_kernels_are_found_again_by_the_next_process():
    """Numba finds one by what it encloses; a compiled function is another thing in every process."""
    from numba.core.dispatcher import Dispatcher

    made = (simulation._deal_kernels(), tally._kernels(), counting._kernels(), (olh._kernel(),))
    for kernel in (kernel for group in made for kernel in group):
        enclosed = [cell.cell_contents for cell in kernel.py_func.__closure__ or ()]
        assert not any(isinstance(part, Dispatcher) for part in enclosed), kernel.__name__
