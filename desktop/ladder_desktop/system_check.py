"""Is this machine fit to run the application? Asked before anything is installed, and again before Qt is imported.

Runs on any Python 3 with the standard library alone. `make setup` calls it as a script:

    python3 desktop/ladder_desktop/system_check.py            one line a fault, exit status 1 if there is any
    python3 desktop/ladder_desktop/system_check.py --install  as root on Debian or Ubuntu: install what is missing

Qt without a library it needs aborts the process, so the answer must come before QApplication does.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

# What the Qt wheels link to and do not bring: shared library -> Debian package.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libxkbcommon.so.0": "libxkbcommon0",
}
# What a window on X11 needs beside them.
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
FONT_PACKAGE = "fonts-dejavu-core"


def has_display() -> bool:
    """Return whether a window can be opened here: always on macOS and Windows, else if a display answers."""
    if sys.platform in ("darwin", "win32"):
        return True
    if os.environ.get("QT_QPA_PLATFORM", "") not in ("", "xcb", "wayland"):
        return False
    return _wayland_answers() or _x11_answers()


def _wayland_answers() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    return bool(name) and Path(os.environ.get("XDG_RUNTIME_DIR", "/"), name or "").is_socket()


def _x11_answers() -> bool:
    """Ask for a connection as Qt will, which aborts where it gets none; without libxcb go by the name alone."""
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    refused = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return not refused


def loads(library: str) -> bool:
    """Return whether the dynamic loader finds this library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_packages() -> list[str]:
    """Return the Debian packages whose libraries are not on this machine; empty outside Linux."""
    if not sys.platform.startswith("linux"):
        return []
    wanted = dict(QT_LIBRARIES)
    if os.environ.get("DISPLAY"):
        wanted.update(X11_LIBRARIES)
    packages = [package for library, package in wanted.items() if not loads(library)]
    if importlib.util.find_spec("ensurepip") is None and importlib.util.find_spec("pip") is None:
        packages.append("python3-venv")
    if not any(Path(folder).is_dir() for folder in ("/usr/share/fonts", "/usr/local/share/fonts")):
        packages.append(FONT_PACKAGE)
    return packages


def install(packages: list[str]) -> int:
    """Install the packages as root on Debian or Ubuntu; otherwise print the one command to run. Returns a status."""
    import shutil
    import subprocess

    command = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if shutil.which("apt-get") is None:
        print(
            f"Runtime Ladder needs these system libraries (Debian names): {' '.join(packages)}. Please install them."
        )
        return 1
    if os.geteuid() != 0:
        print(f"Runtime Ladder needs a few system libraries. Please run: sudo {' '.join(command)}")
        return 1
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=environment)
    return subprocess.run([*command, "-qq"], check=False, env=environment).returncode


def main(arguments: list[str]) -> int:
    """Check the Python version and the libraries; with --install, mend what can be mended."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        version = ".".join(map(str, sys.version_info[:2]))
        print(
            f"Runtime Ladder runs on Python 3.11 to 3.13, and this is {version}. Try: make PYTHON=python3.12"
        )
        return 1
    packages = missing_packages()
    if not packages:
        return 0
    if "--install" in arguments:
        return install(packages)
    print(f"Missing system packages: {' '.join(packages)}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
