"""Settings from the environment (or a `.env` file), each with the rulebook's default."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from pydantic import (
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from tgbot.words import LANGUAGES

TOKEN = re.compile(r"[0-9]{5,}:[A-Za-z0-9_-]{10,}")
TELEGRAM = "https://api.telegram.org"
SHORTEST_KEY = 32
TELEGRAM_CALLS_PORTS = (443, 80, 88, 8443)


class WrongSetting(Exception):
    """A setting that cannot be used; one line that names it and says what would be right."""


@dataclass(frozen=True)
class Hook:
    """Where Telegram calls, and what it has to know."""

    url: str
    secret: str = field(repr=False)

    @property
    def path(self) -> str:
        """The path of the address."""
        return urlsplit(self.url).path or "/"


class Settings(BaseSettings):
    """Everything an operator can set."""

    model_config = SettingsConfigDict(
        env_file=".env", extra="ignore", validate_default=True, env_ignore_empty=True
    )

    bot_token: SecretStr = Field(SecretStr(""), description="the bot's token from @BotFather")
    bot_token_file: Path | None = Field(None, description="a file that holds only the token")
    dice_key_file: Path | None = Field(
        None, description="a file whose bytes seal the dice; default: made from the bot's token"
    )
    bot_api: str = Field(TELEGRAM, description="address of the Bot API server")
    database: str = Field("sqlite:///dicehall.db", description="URL of the database")
    database_file: Path | None = Field(None, description="a file that holds only that URL")
    timezone: str = Field("Europe/Berlin", description="whose midnight ends the day")
    language: str = Field("en", description="language of chats that chose none, such as de")
    operators: Annotated[tuple[int, ...], NoDecode] = Field(
        (), description="Telegram user ids of the operators, separated by commas"
    )
    coin: str = Field("Knuddel", description="display name of one coin")
    coins: str = Field("Knuddels", description="display name of several coins")
    welcome_gift: int = Field(10, ge=0, le=10**6, description="coins for every newcomer, once")
    lobby_s: int = Field(
        30, ge=5, le=600, description="seconds until a lobby with enough players starts"
    )
    lobby_wait_s: int = Field(90, ge=5, le=3600, description="seconds a lobby waits for enough")
    lobby_most_s: int = Field(600, ge=5, le=3600, description="seconds a lobby waits at most")
    jackpot_stakes: int = Field(100, ge=1, description="coins of a jackpot won, in stakes")
    jackpot_idle_days: int = Field(90, ge=1, description="days until an idle jackpot moves on")
    bonus_day: int = Field(10, ge=0, le=10**6, description="coins for the best throw of a day")
    bonus_month: int = Field(100, ge=0, le=10**6, description="coins for the best of a month")
    bonus_year: int = Field(1000, ge=0, le=10**6, description="coins for the best of a year")
    give_after_days: int = Field(
        7, ge=0, le=3650, description="days from one's first finished game until /give works"
    )
    give_most: int = Field(100, ge=0, le=10**12, description="coins one may give away a day")
    presses_a_second: int = Field(
        10,
        ge=1,
        le=10**6,
        description="presses and commands of one person, ten times as many at once",
    )
    lobbies_an_hour: int = Field(60, ge=1, le=10**6, description="games one person may open")
    answers_a_minute: int = Field(
        30, ge=6, le=10**6, description="answers one person gets, in groups a sixth as many"
    )
    gives_a_minute: int = Field(20, ge=1, le=10**6, description="times one person may give")
    jackpot_players: int = Field(3, ge=2, le=20, description="players a jackpot takes to be won")
    profile_points: int = Field(100, ge=0, description="points from which a profile shows them")
    free_days_after_removal: int = Field(
        7, ge=0, le=3650, description="days a chat that removed the bot from a staked game is free"
    )
    pace: int = Field(100, ge=25, le=1000, description="percent of the time a game gives to play")
    allowance: int = Field(
        0, ge=0, le=101, description="coins a day for who has less than the stake, after a game"
    )
    counted_games: int = Field(20, ge=1, description="staked games a day that count for bests")
    robin_players: int = Field(3, ge=1, le=20, description="players of a game Robin Hood gives to")
    robin_people: int = Field(5, ge=1, description="people who make a chat Robin Hood's")
    robin_free_days: int = Field(7, ge=1, le=365, description="days they played there for free")
    robin_wait_hours: int = Field(6, ge=1, le=168, description="hours a round waits for a game")
    robin_redraws: int = Field(3, ge=0, le=100, description="times a round is drawn again")
    levy: int = Field(0, ge=0, le=100, description="percent of stakes for Robin Hood's fund")
    audit_hour: int = Field(4, ge=0, le=23, description="full hour of the nightly audit")
    backup_folder: Path = Field(Path("backups"), description="where the panel puts backups")
    mind_folder: Path = Field(
        Path("minds"), description="where James keeps what he worked out, beside the database"
    )
    backups_kept: int = Field(14, ge=0, description="backups the panel keeps there; 0: all")
    public_url: str = Field("", description="where people reach the bot's web server, if they do")
    webhook_url: str = Field("", description="public https address Telegram calls (--webhook)")
    webhook_secret: SecretStr = Field(SecretStr(""), description="what Telegram's calls must know")
    webhook_secret_file: Path | None = Field(None, description="a file that holds only the secret")
    webhook_host: str = Field("127.0.0.1", description="address that --webhook listens on")
    webhook_port: int = Field(8443, ge=1, le=65535, description="port that --webhook listens on")
    metrics_host: str = Field("127.0.0.1", description="address of /healthz and /metrics")
    metrics_port: int | None = Field(
        None, ge=1, le=65535, description="port of /healthz and /metrics; 9443 with --webhook"
    )
    richest: int = Field(10, ge=1, le=100, description="how many of the richest a report names")
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

    @field_validator("bot_api", "public_url")
    @classmethod
    def _address(cls, value: str, info: ValidationInfo) -> str:
        if not value and info.field_name == "public_url":
            return value
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
            raise ValueError(f"one of {', '.join(LANGUAGES)}")
        return value

    @field_validator("log_level")
    @classmethod
    def _level(cls, value: str) -> str:
        if value.lower() not in {"debug", "info", "warning", "error"}:
            raise ValueError("debug, info, warning or error")
        return value.lower()

    @model_validator(mode="after")
    def _database_by_its_file(self) -> Self:
        if self.database_file:
            self.database = read_secret("DATABASE_FILE", self.database_file)
            if not re.fullmatch(r"\w+://\S+", self.database):
                expected = "expected one line such as postgresql://user:password@host/name"
                raise WrongSetting(f"DATABASE_FILE: {self.database_file} holds no URL; {expected}")
        return self

    @property
    def minds(self) -> Path:
        """The folder of what minds worked out, seen from the folder of a database in a file."""
        scheme, _, path = self.database.partition(":///")
        return (Path(path).parent if scheme == "sqlite" else Path()) / self.mind_folder

    @property
    def zone(self) -> ZoneInfo:
        """The operator's time zone."""
        return ZoneInfo(self.timezone)

    def token(self) -> str:
        """The bot's token. Raises `WrongSetting` where none or no possible one is given."""
        token, setting = self.bot_token.get_secret_value().strip(), "BOT_TOKEN"
        if self.bot_token_file:
            setting = "BOT_TOKEN_FILE"
            token = read_secret(setting, self.bot_token_file)
        if not TOKEN.fullmatch(token):
            state = "is empty" if not token else "holds no bot token"
            raise WrongSetting(
                f"{setting} {state}; get one from @BotFather, it looks like 123456789:AAH…"
            )
        return token

    def dice_key(self) -> bytes:
        """What the secrets of games are made from (RULES 7): the bytes of a file as they are.

        Without DICE_KEY_FILE they are derived from the token, so a new token ends the open games.
        Raises `WrongSetting`.
        """
        if not self.dice_key_file:
            return hmac.digest(self.token().encode(), b"dicehall dice key", "sha256")
        try:
            key = self.dice_key_file.read_bytes()
        except OSError as error:
            raise WrongSetting(
                f"DICE_KEY_FILE: {self.dice_key_file} cannot be read ({error.strerror})"
            ) from None
        if len(key) < SHORTEST_KEY:
            raise WrongSetting(
                f"DICE_KEY_FILE: {self.dice_key_file} holds {len(key)} bytes, at least "
                f"{SHORTEST_KEY} are needed; make one with openssl rand -hex 32"
            )
        return key

    def verify_page(self, *, webhook: bool) -> str:
        """The public address of the page that checks proofs; empty where there is none."""
        if self.public_url:
            return f"{self.public_url}/verify"
        parts = urlsplit(self.webhook_url) if webhook else urlsplit("")
        return f"{parts.scheme}://{parts.netloc}/verify" if parts.netloc else ""

    def hook(self) -> Hook:
        """The webhook. Raises `WrongSetting` for an address or a secret that will not do."""
        secret, setting = self.webhook_secret.get_secret_value().strip(), "WEBHOOK_SECRET"
        if self.webhook_secret_file:
            setting = "WEBHOOK_SECRET_FILE"
            secret = read_secret(setting, self.webhook_secret_file)
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret):
            state = "is empty" if not secret else "cannot be used"
            raise WrongSetting(
                f"{setting} {state}; expected 1 to 256 of A-Z, a-z, 0-9, _ and -, "
                "such as openssl rand -hex 32 prints"
            )
        if not self._may_be_called(self.webhook_url):
            state = "is empty" if not self.webhook_url else "cannot be used"
            raise WrongSetting(
                f"WEBHOOK_URL {state}; expected a public address such as "
                "https://dice.example.org/telegram, on port 443, 80, 88 or 8443"
            )
        if self.token().partition(":")[2] in self.webhook_url:
            raise WrongSetting("WEBHOOK_URL must not hold the bot's token; the secret is enough")
        return Hook(self.webhook_url, secret)

    def _may_be_called(self, url: str) -> bool:
        try:
            parts = urlsplit(url)
            port = 443 if parts.port is None else parts.port
        except ValueError:
            return False
        plain = (
            parts.hostname
            and port
            and not parts.username
            and not parts.query
            and not parts.fragment
        )
        if not plain or not re.fullmatch(r"[!->@-~]+", url):
            return False
        if self.bot_api != TELEGRAM:
            # A Bot API server of one's own calls what it likes.
            return parts.scheme in ("http", "https")
        return parts.scheme == "https" and port in TELEGRAM_CALLS_PORTS


def read_secret(setting: str, file: Path) -> str:
    """What the file of a setting holds. Raises `WrongSetting` where it cannot be read."""
    try:
        return file.read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise WrongSetting(f"{setting}: {file} cannot be read ({reason})") from None


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
