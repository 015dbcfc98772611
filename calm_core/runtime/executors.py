"""Who does the tasks: this process, worker processes of this machine, or a Dask cluster.

joblib's own pool is one for the whole process: cancelling one user's run would end another's. Every
run here has a pool of its own (loky), which ends with it.
"""

import os
import signal
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from itertools import chain, islice
from multiprocessing.resource_tracker import ensure_running as ensure_other_running
from typing import Any

import joblib
from loky import ProcessPoolExecutor
from loky.backend.context import LokyContext
from loky.backend.process import LokyProcess
from loky.backend.resource_tracker import ensure_running
from loky.process_executor import TerminatedWorkerError

from calm_core._checks import check_count
from calm_core.errors import InfeasibleError, InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.runtime.processes import defer_signals, run_in_launcher_thread
from calm_core.runtime.worker_lifetime import WORKER, of_worker
from calm_core.runtime.worker_lifetime.preamble import end_with_parent

# Workers share the cores already: their libraries get one thread each.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
# Idle workers leave after so many seconds.
IDLE_SECONDS = 120
MAX_WORKERS = 1024
TAKEN_SECONDS = 2.0
# How long a request to end may have to wait.
TURN_SECONDS = 0.1


@dataclass(frozen=True)
class Held:
    """Stands for an object that the workers hold, so that it does not travel with every task."""

    number: int


_held: tuple = ()


class _Process(LokyProcess):
    """A worker that ends with this process from its first moment: to unpickle its work, it imports the library."""

    @staticmethod
    def _Popen(process_obj):
        if sys.platform == "win32":
            return LokyProcess._Popen(process_obj)
        from loky.backend.popen_loky_posix import Popen

        # Its own module is what loky has a worker run.
        return type("Popen", (Popen,), {"__module__": WORKER})(process_obj)


class _Context(LokyContext):
    Process = _Process


def _begin(parent: int, held: tuple) -> None:
    """The first that a worker does with its work."""
    global _held
    if sys.platform == "win32":
        end_with_parent(parent)
    # Blocked when it was started, but multiprocessing's own tracker lets interrupts through again.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _mask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    _held = held


def _work(function, args: tuple):
    """One task in a worker."""
    return function(*(_held[arg.number] if isinstance(arg, Held) else arg for arg in args))


def run_tasks(
    calls: Iterable[tuple],
    held: Sequence[object] = (),
    *,
    jobs: int = 1,
    scheduler: str | None = None,
) -> Generator[Any]:
    """Results of joblib calls as they come; closing the iterator ends the work.

    Parameters
    ----------
    calls : iterable of joblib.delayed
        Taken one by one as workers get free.
    held : sequence
        Large objects among the arguments, such as data sets; sent to every worker once.
    jobs : int
        Worker processes, up to 1,024; 1 works here, -1 takes every core.
    scheduler : str, optional
        Address of a Dask scheduler, instead.
    """
    if scheduler:
        yield from _on_cluster(calls, held, scheduler)
        return
    workers = (
        joblib.cpu_count()
        if jobs == -1
        else check_count("jobs", jobs, high=MAX_WORKERS, remedy="or -1")
    )
    # No more of them than there are tasks.
    calls = iter(calls)
    first = list(islice(calls, workers))
    calls, workers = chain(first, calls), max(min(workers, 2), len(first))
    if workers == 1:
        for function, args, _ in calls:
            yield function(*args)
        return
    # Now, because it lets interrupts through in the thread that starts it, and so to the workers.
    run_in_launcher_thread(_track)
    numbers = {id(part): Held(i) for i, part in enumerate(held)}
    pool = ProcessPoolExecutor(
        workers,
        timeout=IDLE_SECONDS,
        initializer=_begin,
        initargs=(os.getpid(), tuple(held)),
        env=ONE_THREAD | of_worker(),
        context=_Context(),
    )
    waiting = set()
    try:
        while True:
            checkpoint()
            for function, args, _ in islice(calls, 2 * workers - len(waiting)):
                args = tuple(numbers.get(id(arg), arg) for arg in args)
                run_in_launcher_thread(_submit, pool, waiting, function, args)
            if not waiting:
                return
            with defer_signals():
                finished, waiting = wait(waiting, TURN_SECONDS, FIRST_COMPLETED)
            for future in finished:
                yield future.result()
    except TerminatedWorkerError as error:
        raise InfeasibleError(
            "a worker process was killed, as happens where memory is short; use fewer of them (--jobs) "
            "or free some memory"
        ) from error
    finally:
        with defer_signals():
            run_in_launcher_thread(_wait_until_taken, waiting)
            pool.shutdown(wait=True, kill_workers=True)


def _track() -> None:
    """Start the trackers of what workers share, without remarks on what was interrupted.

    To start one lets signals through again that were blocked: not amid a start of workers.
    """
    before = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, (before, "ignore:resource_tracker")))
    try:
        ensure_running()
        ensure_other_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if before is not None:
            os.environ["PYTHONWARNINGS"] = before


def _submit(pool: ProcessPoolExecutor, waiting: set[Future], *task) -> None:
    # Noted here, so that an interruption of whoever waits for this does not lose sight of it. A worker that a request
    # to end kills before it has read what it shall know would leave this thread writing to nobody, for ever.
    before = _mask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        waiting.add(pool.submit(_work, *task))
    finally:
        _mask(signal.SIG_SETMASK, before)


def _mask(how: int, signals: set) -> set:
    return set() if sys.platform == "win32" else signal.pthread_sigmask(how, signals)


def _wait_until_taken(waiting: set[Future]) -> None:
    """Until loky's thread has taken all that was submitted, a matter of milliseconds.

    Ended before, it stumbles over the rest and prints a traceback.
    """
    until = time.monotonic() + TAKEN_SECONDS
    while time.monotonic() < until and not all(f.running() or f.done() for f in waiting):
        time.sleep(0.002)


def _on_cluster(calls: Iterable[tuple], held: Sequence[object], scheduler: str) -> Generator[Any]:
    """Results from a Dask cluster, which is never asked for much more than it can do at once."""
    with _connect(scheduler) as client:
        from distributed import CancelledError, KilledWorker, as_completed
        from distributed.comm.core import CommClosedError

        # Kept by a worker, from which the others fetch them; the first to come need not be there yet.
        kept = {id(part): client.submit(_itself, part, pure=False) for part in held}
        work = as_completed((), loop=client.loop)

        def submit(calls: Iterator[tuple]) -> None:
            threads: Any = client.nthreads()
            wanted = 2 * max(1, sum(threads.values()))
            for function, args, _ in islice(calls, max(0, wanted - work.count())):
                args = tuple(kept.get(id(arg), arg) for arg in args)
                with defer_signals():
                    work.add(client.submit(function, *args, pure=False))

        calls = iter(calls)
        submit(calls)
        try:
            while work.count():
                checkpoint()
                if not work.has_ready():
                    time.sleep(TURN_SECONDS / 10)
                    continue
                with defer_signals():
                    result = next(work).result()
                yield result
                submit(calls)
        except KilledWorker as error:
            raise InfeasibleError(
                f"workers of the cluster ({scheduler}) died again and again at one task; give them "
                "more memory"
            ) from error
        except (CancelledError, CommClosedError) as error:
            raise InfeasibleError(
                f"the cluster ({scheduler}) went away in the middle of the work; start it again, and the "
                "command"
            ) from error


def _itself(part: object) -> object:
    return part


def _connect(scheduler: str):
    """A client of the Dask cluster at that address."""
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            f"scheduler ({scheduler}) needs Dask; install calm-lab with its extra [cluster]"
        ) from None
    try:
        _check_address(scheduler)
        return Client(scheduler, timeout=20, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"scheduler ({scheduler}) must be the address of a running Dask scheduler, "
            f"such as tcp://host:8786 ({error})"
        ) from error


def _check_address(scheduler: str) -> None:
    """Refuse what no address is: a client made for it ends 40 s later, and with a traceback."""
    from distributed.comm.addressing import get_address_host_port

    # Within this process, there are no ports.
    if not scheduler.startswith("inproc://"):
        _, port = get_address_host_port(scheduler)
        if not 0 < port < 1 << 16:
            raise ValueError(f"no port has the number {port}")
