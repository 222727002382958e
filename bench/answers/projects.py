"""Fetch and index the projects of the 60 questions: `python -m bench.answers.projects FOLDER`.

Needs apt-get and dpkg-deb of Debian 12, npm and pip; 14 MB are downloaded. A project that is there already is kept.
"""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

DEBIAN = {  # project -> package, folder of its HTML
    "git-docs": ("git-doc", "usr/share/doc/git/html"),
    "node-docs": ("nodejs-doc", "usr/share/doc/nodejs/api"),
    "borg-docs": ("borgbackup-doc", "usr/share/doc/borgbackup-doc/html"),
    "cmake-docs": ("cmake-doc", "usr/share/doc/cmake-data/html"),
}
NPM = {"npm-docs": ("npm@10.9.0", "package/docs/output")}  # likewise
SOURCES = {"requests": "requests==2.32.3", "tomlkit": "tomlkit==0.13.2", "filelock": "filelock==3.16.1"}  # sdists


def fetch(name: str, download: Path) -> Path:
    """Download and unpack a project; return the folder with its pages or sources."""
    unpacked = download / "unpacked"
    if name in DEBIAN:
        package, folder = DEBIAN[name]
        subprocess.run(["apt-get", "download", "-q", package], cwd=download, check=True)
        subprocess.run(["dpkg-deb", "-x", next(download.glob("*.deb")), unpacked], check=True)
        return unpacked / folder
    if name in NPM:
        package, folder = NPM[name]
        subprocess.run(["npm", "pack", "--silent", package], cwd=download, check=True)
    else:
        folder = "*"
        pip = ["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", download, SOURCES[name]]
        subprocess.run(pip, check=True)
    with tarfile.open(next(path for path in download.iterdir() if path.name.endswith(("gz", "tgz")))) as archive:
        archive.extractall(unpacked, filter="data")
    return next(unpacked.glob(folder))


def main(root: Path) -> None:
    for name in (*DEBIAN, *NPM, *SOURCES):
        project, download = root / name, root / f".{name}"
        if project.exists():
            continue
        download.mkdir(parents=True, exist_ok=True)
        source = fetch(name, download)
        is_code = name in SOURCES
        shutil.copytree(source, project if is_code else project / "build", ignore_dangling_symlinks=True)
        shutil.rmtree(download)
        settings = "[code]\nenable = true\n" if is_code else '[source]\nstatic_output_dir = "build"\n'
        (project / "searchsocket.toml").write_text(f'{settings}[scope]\nmode = "fixed"\nfixed = "main"\n')
        only = ["--only", "code"] if is_code else []
        command = Path(sys.executable).with_name("searchsocket")
        subprocess.run([command, "index", *only, "--project", project], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
