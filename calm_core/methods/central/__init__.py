"""Methods that need a trusted curator: PriView and the methods it was compared with."""

from calm_core.methods.central.datacube import DataCube
from calm_core.methods.central.direct import Direct, Flat
from calm_core.methods.central.fourier import FourierCentral, FourierLP
from calm_core.methods.central.learning import Learning
from calm_core.methods.central.matrix import MatrixMechanism
from calm_core.methods.central.mwem import MWEM
from calm_core.methods.central.priview import PriView

CENTRAL = (
    PriView, Flat, Direct, FourierCentral, FourierLP, DataCube, MatrixMechanism, MWEM, Learning,
)  # fmt: skip
