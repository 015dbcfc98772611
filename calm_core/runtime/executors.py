"""Run tasks in this process, in worker processes of this machine, or on a Dask cluster.

Every call of `run_tasks` has workers of its own, which end with it: to cancel one run ends no other.
"""

import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Generator, Iterable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

from calm_core._checks import check_count
from calm_core.errors import InfeasibleError, InputError
from calm_core.runtime.cancellation import checkpoint
from calm_core.runtime.processes import defer_signals, run_in_launcher_thread

# Workers share the cores already: their libraries get one thread each.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
MAX_WORKERS = 1024
# How long a request to stop may have to wait.
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class _Shared:
    """Stands among the arguments of a task for an object that every worker has already."""

    number: int


def run_tasks(
    tasks: Iterable[partial],
    shared: Sequence[object] = (),
    *,
    jobs: int = 1,
    scheduler: str | None = None,
) -> Generator[Any]:
    """Yield the results of tasks in order of completion; closing the iterator ends the work.

    Parameters
    ----------
    tasks : iterable of functools.partial
        Functions with positional arguments; drawn one by one, as workers get free.
    shared : sequence
        Large objects among the arguments, such as data sets; sent to every worker once.
    jobs : int
        Worker processes, up to 1,024; 1 works in this process, -1 takes every core.
    scheduler : str, optional
        Address of a Dask scheduler whose workers take the tasks instead.

    Raises
    ------
    InputError
        If jobs is out of range or there is no scheduler at the address.
    InfeasibleError
        If a worker or the cluster dies.

    Examples
    --------
    >>> list(run_tasks([partial(pow, 2, 3), partial(abs, -1)]))
    [8, 1]
    """
    if scheduler:
        yield from _run_on_cluster(tasks, shared, scheduler)
        return
    if jobs == -1:
        jobs = count_usable_cores()
    else:
        check_count("jobs", jobs, high=MAX_WORKERS, remedy="or -1")
    tasks = iter(tasks)
    first = list(islice(tasks, jobs))
    tasks = chain(first, tasks)
    if jobs == 1:
        for task in tasks:
            yield task()
    elif first:
        yield from _run_in_workers(tasks, shared, count=len(first))


def count_usable_cores() -> int:
    """How many cores this process may use, by its affinity and the CPU quota of its container.

    Examples
    --------
    >>> 1 <= count_usable_cores() <= os.cpu_count()
    True
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    try:
        quota, period = map(int, Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split())
    except (OSError, ValueError):  # no container, or "max"
        return cores
    return max(1, min(cores, math.ceil(quota / period)))


# ---------------------------------------------------------------- worker processes


def _run_in_workers(tasks: Iterator[partial], shared: Sequence, count: int) -> Generator[Any]:
    """Results of `count` worker processes, each with a pipe of its own and one task at a time.

    A pool of `concurrent.futures` could not be cancelled in the middle of a task: its thread waits for ever for the
    rest of what a killed worker was just sending.
    """
    numbers = {id(thing): _Shared(i) for i, thing in enumerate(shared)}
    workers: dict[Any, BaseProcess] = {}  # by their end of a pipe
    try:
        if sys.platform != "win32":
            # First, because to start the tracker lets signals through that the launcher thread blocks.
            run_in_launcher_thread(resource_tracker.ensure_running)
        run_in_launcher_thread(_start_workers, workers, count)
        with _explain_death():
            for worker in workers:
                worker.send(tuple(shared))
        idle, task = list(workers), next(tasks, None)
        while True:
            checkpoint()
            while idle and task is not None:
                with _explain_death():
                    idle.pop().send((task.func, [numbers.get(id(arg), arg) for arg in task.args]))
                task = next(tasks, None)
            if len(idle) == len(workers):
                return
            ready: list[Any] = wait(workers.keys() - set(idle), POLL_SECONDS)
            for worker in ready:
                with _explain_death():
                    result, error = worker.recv()
                if error is not None:
                    raise error
                idle.append(worker)
                yield result
    finally:
        with defer_signals():
            for process in workers.values():
                process.kill()
            for worker, process in workers.items():
                process.join()
                worker.close()


def _start_workers(workers: dict[Any, BaseProcess], count: int) -> None:
    context = get_context("spawn")
    # Without a main module, a worker does not run the caller's script once more.
    no_main = {"__main__": ModuleType("__main__")}
    with _changed(os.environ, ONE_THREAD), _changed(sys.modules, no_main):
        for _ in range(count):
            ours, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs,), daemon=True)
            process.start()
            theirs.close()
            workers[ours] = process


@contextmanager
def _changed(mapping: MutableMapping, changes: dict) -> Generator[None]:
    before = {key: mapping[key] for key in changes if key in mapping}
    mapping.update(changes)
    try:
        yield
    finally:
        for key in changes:
            del mapping[key]
        mapping.update(before)


def _serve(connection: Connection) -> None:
    """What a worker process runs: tasks as they come, until its parent ends it or dies."""
    Thread(target=_exit_with_parent, daemon=True).start()
    # Ctrl-C reaches the whole terminal group; the parent decides what becomes of the work.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, ConnectionError):  # the parent has just died
        shared = connection.recv()
        while True:
            function, args = connection.recv()
            args = [shared[arg.number] if isinstance(arg, _Shared) else arg for arg in args]
            try:
                outcome = function(*args), None
            except Exception as error:
                error.add_note(f"In a worker process:\n{traceback.format_exc()}")
                outcome = None, error
            connection.send(outcome)


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


@contextmanager
def _explain_death() -> Generator[None]:
    try:
        yield
    except (EOFError, ConnectionError) as error:
        raise InfeasibleError(
            "a worker process was killed, as happens where memory is short; use fewer of them (--jobs) "
            "or free some memory"
        ) from error


# ---------------------------------------------------------------- Dask


def _run_on_cluster(tasks: Iterable[partial], shared: Sequence, scheduler: str) -> Generator[Any]:
    """Results of a Dask cluster, which gets twice as many tasks at a time as it has threads."""
    with _connect(scheduler) as client:
        from distributed import CancelledError, KilledWorker, as_completed
        from distributed.comm.core import CommClosedError

        # One worker keeps them and the others fetch them from it; it may join later.
        futures = {id(thing): client.submit(_identity, thing, pure=False) for thing in shared}
        work = as_completed((), loop=client.loop)

        def submit(tasks: Iterator[partial]) -> None:
            threads: Any = client.nthreads()
            in_flight = 2 * max(1, sum(threads.values()))
            for task in islice(tasks, max(0, in_flight - work.count())):
                args = [futures.get(id(arg), arg) for arg in task.args]
                with defer_signals():
                    work.add(client.submit(task.func, *args, pure=False))

        tasks = iter(tasks)
        submit(tasks)
        try:
            while work.count():
                checkpoint()
                if not work.has_ready():
                    time.sleep(POLL_SECONDS / 10)
                    continue
                with defer_signals():
                    result = next(work).result()
                yield result
                submit(tasks)
        except KilledWorker as error:
            raise InfeasibleError(
                f"workers of the cluster ({scheduler}) died again and again at one task; give them "
                "more memory"
            ) from error
        except (CancelledError, CommClosedError) as error:
            raise InfeasibleError(
                f"the connection to the cluster ({scheduler}) was lost during the work; start the cluster "
                "again, then the command"
            ) from error


def _identity(thing: object) -> object:
    return thing


def _connect(scheduler: str):
    """A client of the Dask cluster at the address."""
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
    """Refuse what is no address: a client made for one ends 40 s later, with a traceback."""
    from distributed.comm.addressing import get_address_host_port

    # Clusters within this process have no ports.
    if not scheduler.startswith("inproc://"):
        _, port = get_address_host_port(scheduler)
        if not 0 < port < 1 << 16:
            raise ValueError(f"no port has the number {port}")
