"""The page that checks proofs (RULES 7): one file that works anywhere, served at /verify."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FILE = Path(__file__).parent / "static" / "verify.html"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "max-age=3600",
}


@cache
def _page() -> bytes:
    return FILE.read_bytes()


async def _verify(request: Request) -> Response:
    return Response(_page(), media_type="text/html", headers=HEADERS)


VERIFY = Route("/verify", _verify)
