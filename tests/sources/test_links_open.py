"""What the index links to can be opened: every page of every real site, asked for at a static host.

Where a site's own links end in `.html`, `/` or `index.html`, the host is a plain file server. Sites that link to `/page`
need a host that looks for `/page.html` too, as theirs does; such a one serves them here. `-rP` prints a line a site.
"""

import os
import tarfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from itertools import batched
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
