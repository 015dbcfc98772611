"""Run linear algebra of small matrices on a single thread.

Matrices here have some hundred rows. More threads gain little on an idle machine; on a busy machine
they make each call 10 to 100 times slower (measured).
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_inside: list = []


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def limit_blas_threads() -> Iterator[None]:
    """Limit the linear algebra libraries to one thread inside the block.

    The setting belongs to the process: the first caller changes it and the last one restores it.
    """
    with _lock:
        if not _inside:
            limiter = _libraries().limit(limits=1, user_api="blas")
        else:
            limiter = _inside[0]
        _inside.append(limiter)
    try:
        yield
    finally:
        with _lock:
            _inside.pop()
            if not _inside:
                limiter.restore_original_limits()
