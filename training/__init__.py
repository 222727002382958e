"""How the built-in embedding model is made; see README.md. No part of the installed package."""

import os

# Sums of floats depend on how many threads share them; one thread makes a run repeatable. Set before numpy loads.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"
