"""Arrow's compute functions: pyarrow makes them when it is imported, where no type checker sees them."""

from typing import Any

import pyarrow.compute

pc: Any = pyarrow.compute
