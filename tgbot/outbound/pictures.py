"""Pictures are drawn in a thread, one after another, and kept for whoever asks again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict

import structlog

from tgbot.done import Drawing
from tgbot.words import Words

MOST_KEPT = 100
"""Pictures of some 50 kB each."""

log = structlog.get_logger(__name__)


class Pictures:
    """The pictures drawn lately. Lives on the event loop."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._kept: OrderedDict[tuple[object, ...], bytes] = OrderedDict()
        self._drawing = asyncio.Lock()

    async def png(self, drawing: Drawing, language: str) -> bytes:
        """The picture as a PNG; empty where it could not be drawn, which is logged."""
        key = (*drawing.key, language)
        async with self._drawing:
            if key not in self._kept:
                try:
                    self._kept[key] = await asyncio.to_thread(drawing.draw, self.words, language)
                except Exception:
                    log.exception("a picture could not be drawn", picture=drawing.key[0])
                    return b""
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]
