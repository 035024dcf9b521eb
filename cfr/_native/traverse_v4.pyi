from cfr._native.traverse import LANES as LANES
from cfr._native.traverse import MODES as MODES
from cfr._native.traverse import Prepared as Prepared
from cfr._native.traverse import Traversal as Traversal
