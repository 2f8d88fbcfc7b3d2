"""deploy/nginx.conf behind a real nginx: what a worker does that is away, hangs or is back."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.process.ports import free_port
from tgbot.http.server import WebServer

CONF = Path(__file__).parent.parent / "deploy" / "nginx.conf"

pytestmark = pytest.mark.skipif(not shutil.which("nginx"), reason="no nginx on this machine")


class Worker:
    """Answers every call with `status`, and counts them."""

    def __init__(self, port: int, status: int = 200) -> None:
        self.status, self.calls = status, 0
        app = Starlette(routes=[Route("/telegram", self._answer, methods=["POST"])])
        self.web_server = WebServer(app, "127.0.0.1", port)

    async def _answer(self, request: Request) -> Response:
        self.calls += 1
        return Response(status_code=self.status, headers={"Retry-After": "1"})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a key and a certificate."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-subj", "/CN=bot", "-keyout", folder / "privkey.pem",
         "-out", folder / "fullchain.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


@contextlib.asynccontextmanager
async def proxied(folder: Path, tls: Path, *ports: int) -> AsyncIterator[httpx.AsyncClient]:
    """nginx with the example and workers at these ports; a client that calls it."""
    port, places = free_port(), iter(ports)
    text = CONF.read_text().replace("/etc/nginx/tls", str(tls))
    text = text.replace("listen 443", f"listen 127.0.0.1:{port}")
    text = re.sub(
        r"(?m)^(    server )[0-9.]+:8443\b", lambda its: f"{its[1]}127.0.0.1:{next(places)}", text
    )
    (folder / "nginx.conf").write_text(f"pid {folder}/pid;\nerror_log stderr;\ndaemon off;\n{text}")
    process = await asyncio.create_subprocess_exec(
        "nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), stderr=subprocess.DEVNULL
    )
    trusted = ssl.create_default_context(cafile=tls / "fullchain.pem")
    trusted.check_hostname = False
    address = f"https://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient(base_url=address, verify=trusted, timeout=20) as client:
            while process.returncode is None:
                with contextlib.suppress(httpx.TransportError):
                    assert (await client.get("/")).status_code == 404
                    break
                await asyncio.sleep(0.02)
            assert process.returncode is None
            yield client
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def served(stack: contextlib.AsyncExitStack, worker: Worker) -> int:
    """The port at which a worker serves until the end of the test."""
    address = await worker.web_server.open()
    stack.push_async_callback(worker.web_server.close, 1)
    return int(address.rpartition(":")[2])


async def statuses(client: httpx.AsyncClient, calls: int) -> list[int]:
    """What so many calls at once are answered."""
    posts = [client.post("/telegram", content=b"{}") for _ in range(calls)]
    return [answer.status_code for answer in await asyncio.gather(*posts)]


async def test_a_database_that_is_back_is_back_at_once(tmp_path: Path, certificate: Path) -> None:
    workers = [Worker(0, 503), Worker(0, 503)]
    async with contextlib.AsyncExitStack() as stack:
        ports = [await served(stack, worker) for worker in workers]
        client = await stack.enter_async_context(proxied(tmp_path, certificate, *ports))
        away = await statuses(client, 6)
        for worker in workers:
            worker.status = 200
        back = await statuses(client, 6)

    assert (away, back) == ([503] * 6, [200] * 6)
    assert sum(worker.calls for worker in workers) == 12


@pytest.mark.parametrize("fault", ["absent", "starting", "frozen"])
async def test_calls_for_a_worker_that_takes_none_are_taken_by_another(
    fault: str, tmp_path: Path, certificate: Path
) -> None:
    async with contextlib.AsyncExitStack() as stack:
        ports = [free_port(), await served(stack, Worker(0))]
        if fault == "starting":
            ports[0] = await served(stack, Worker(0, 502))
        if fault == "frozen":  # its system takes calls, and it never looks at them
            stack.enter_context(socket.create_server(("127.0.0.1", ports[0])))
        client = await stack.enter_async_context(proxied(tmp_path, certificate, *ports))

        assert await statuses(client, 6) == [200] * 6
