"""Settings from the environment (or a `.env` file), each with the rulebook's default."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tgbot.words import LANGUAGES

TOKEN = re.compile(r"[0-9]{5,}:[A-Za-z0-9_-]{10,}")


class WrongSetting(Exception):
    """A setting that cannot be used; one line that names it and says what would be right."""


class Settings(BaseSettings):
    """Everything an operator can set."""

    model_config = SettingsConfigDict(
        env_file=".env", extra="ignore", validate_default=True, env_ignore_empty=True
    )

    bot_token: SecretStr = Field(SecretStr(""), description="the bot's token from @BotFather")
    bot_token_file: Path | None = Field(None, description="a file that holds only the token")
    bot_api: str = Field("https://api.telegram.org", description="address of the Bot API server")
    database: str = Field("sqlite:///dicehall.db", description="URL of the database")
    timezone: str = Field("Europe/Berlin", description="whose midnight ends the day")
    language: str = Field("en", description="language of chats that chose none: de or en")
    operators: Annotated[tuple[int, ...], NoDecode] = Field(
        (), description="Telegram user ids of the operators, separated by commas"
    )
    coin: str = Field("Knuddel", description="display name of one coin")
    coins: str = Field("Knuddels", description="display name of several coins")
    welcome_gift: int = Field(10, ge=0, le=10**6, description="coins for every newcomer, once")
    lobby_s: int = Field(30, ge=5, le=600, description="seconds a lobby waits for one more")
    lobby_most_s: int = Field(300, ge=5, le=3600, description="seconds a lobby waits at most")
    jackpot_stakes: int = Field(100, ge=1, description="coins of a jackpot won, in stakes")
    jackpot_idle_days: int = Field(90, ge=1, description="days until an idle jackpot moves on")
    counted_games: int = Field(20, ge=1, description="staked games a day that count for bests")
    levy: int = Field(0, ge=0, le=100, description="percent of stakes for Robin Hood's fund")
    log_level: str = Field("info", description="debug, info, warning or error")
    log_json: bool = Field(False, description="log lines as JSON")

    @field_validator("operators", mode="before")
    @classmethod
    def _ids(cls, value: object) -> object:
        if isinstance(value, str):
            ids = [part.strip() for part in value.split(",") if part.strip()]
            if not all(re.fullmatch(r"[0-9]{1,18}", part) for part in ids):
                raise ValueError("user ids separated by commas, such as 12345,67890")
            return tuple(int(part) for part in ids)
        return value

    @field_validator("bot_api")
    @classmethod
    def _address(cls, value: str) -> str:
        try:
            parts = urlsplit(value)
            fine = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            fine = False
        if not fine or not re.fullmatch(r"[!->@-~]+", value):
            raise ValueError("an address such as http://127.0.0.1:8081")
        return value.rstrip("/")

    @field_validator("timezone")
    @classmethod
    def _zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError("a time zone such as Europe/Berlin") from error
        return value

    @field_validator("language")
    @classmethod
    def _language(cls, value: str) -> str:
        if value not in LANGUAGES:
            raise ValueError("de or en")
        return value

    @field_validator("log_level")
    @classmethod
    def _level(cls, value: str) -> str:
        if value.lower() not in {"debug", "info", "warning", "error"}:
            raise ValueError("debug, info, warning or error")
        return value.lower()

    @property
    def zone(self) -> ZoneInfo:
        """The operator's time zone."""
        return ZoneInfo(self.timezone)

    def token(self) -> str:
        """The bot's token. Raises `WrongSetting` where none or no possible one is given."""
        token, setting = self.bot_token.get_secret_value().strip(), "BOT_TOKEN"
        if self.bot_token_file:
            setting = "BOT_TOKEN_FILE"
            try:
                token = self.bot_token_file.read_text("utf-8").strip()
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or "it is no text"
                raise WrongSetting(
                    f"BOT_TOKEN_FILE: {self.bot_token_file} cannot be read ({reason})"
                ) from None
        if not TOKEN.fullmatch(token):
            state = "is empty" if not token else "holds no bot token"
            raise WrongSetting(
                f"{setting} {state}; get one from @BotFather, it looks like 123456789:AAH…"
            )
        return token


def load(**overrides: object) -> Settings:
    """The settings. Raises `WrongSetting` for the first one that is wrong."""
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = str(first["loc"][0]).upper() if first["loc"] else "settings"
        message = first["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
        raise WrongSetting(f"{name}: expected {message}") from None
    except (OSError, UnicodeDecodeError):
        raise WrongSetting(".env: cannot be read; expected lines such as TIMEZONE=UTC") from None
