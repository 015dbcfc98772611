"""Small linear algebra on one core.

Matrices here have some hundred rows. Sharing them between cores gains little on an idle machine
and, on a busy one, makes each call wait for cores that do not come: measured 10 to 100 times slower.
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
    """Keep the linear algebra libraries to one thread while any caller is inside.

    The setting is the process's: the first caller changes it and the last one restores it.
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
