"""A temporary folder goes with the object that it is for."""

import gc

from searchsocket.system.files import temporary_folder


class Owner:
    pass


def test_it_goes_with_its_owner_whatever_lies_in_it() -> None:
    """A library may still write to it when it is no longer asked for."""
    owner = Owner()
    folder = temporary_folder(owner, "searchsocket-test-")
    (folder / "inner").mkdir()
    (folder / "inner" / "file").write_text("x")
    assert folder.is_dir()
    del owner
    gc.collect()
    assert not folder.exists()
