"""Contracts that stores and embedders of other packages can run as tests; needs `searchsocket[testing]`."""

import pkgutil

import pytest

# A failed case shows its values.
pytest.register_assert_rewrite(*(f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)))
