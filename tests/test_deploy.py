"""What deploy/ promises, as far as it can be checked without a container engine."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from tgbot.cli.main import app
from tgbot.config import Settings

DEPLOY = Path(__file__).parent.parent / "deploy"
UNITS = sorted(DEPLOY.glob("*.service")) + sorted(DEPLOY.glob("*.timer"))
SETTINGS = {name.upper(): field for name, field in Settings.model_fields.items()}
PAGES = sorted(DEPLOY.glob("*.md"))


LINE = r"([A-Z_]+)=(.*)$"
UNIT = dict(re.findall(rf"^Environment={LINE}", (DEPLOY / "dicehall.service").read_text(), re.M))
BACKUP = (DEPLOY / "dicehall-backup.service").read_text()
IMAGE = dict(re.findall(r"^(?:ENV|   ) ([A-Z_]+)=(\S+)", (DEPLOY / "Dockerfile").read_text(), re.M))
WORKER = dict(re.findall(r"^      ([A-Z_]+): (.*)$", (DEPLOY / "compose.yaml").read_text(), re.M))


def example(mark: str = "") -> dict[str, str]:
    """The settings of the example; with `# ` those that are commented out."""
    text = (DEPLOY / "dicehall.env.example").read_text("utf-8")
    return dict(re.findall(f"^{mark}{LINE}", text, re.MULTILINE))


def test_the_environment_example_explains_every_setting_and_no_other() -> None:
    named = [*example(), *example("# ")]
    assert sorted(named) == sorted(SETTINGS)


def test_a_line_of_the_environment_example_has_a_value() -> None:
    # An empty one would take the place of what the unit or the image sets.
    assert "" not in example().values()


@pytest.mark.parametrize("base", [UNIT, IMAGE, WORKER], ids=["unit", "image", "worker"])
def test_the_environment_example_leaves_what_it_is_loaded_over_in_force(
    base: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = "123456789:AAHkd-XyZ_0123456789abcdefghijklm"
    (tmp_path / "token").write_text(token)
    (tmp_path / "database").write_text("postgresql://dicehall:x@postgres/dicehall\n")
    base = {name: re.sub("%d|/run/secrets", str(tmp_path), value) for name, value in base.items()}
    for name, value in {**base, **example()}.items():
        monkeypatch.setenv(name, value)

    settings = Settings(_env_file=None)

    assert base.keys() & {"BOT_TOKEN_FILE", "METRICS_PORT", "METRICS_HOST"}
    for name, value in base.items():
        if name in SETTINGS:
            assert str(getattr(settings, name.lower())) == value
    if "BOT_TOKEN_FILE" in base:
        assert settings.token() == token
    if "DATABASE_FILE" in base:
        assert settings.database == "postgresql://dicehall:x@postgres/dicehall"


def test_the_bot_and_its_backups_have_one_database_and_one_folder() -> None:
    assert f"Environment=DATABASE={UNIT['DATABASE']}\n" in BACKUP
    assert f"dicehall backup {UNIT['BACKUP_FOLDER']}/ --keep" in BACKUP


def test_the_environment_example_says_the_defaults() -> None:
    for name, value in {**example(), **example("# ")}.items():
        default = SETTINGS[name].default
        shown = str(default).lower() if isinstance(default, bool) else str(default)
        assert not value or value == shown, name


def test_a_setting_left_empty_is_its_default(tmp_path: Path) -> None:
    (tmp_path / "empty.env").write_text("".join(f"{name}=\n" for name in SETTINGS))

    settings = Settings(_env_file=tmp_path / "empty.env")

    assert settings == Settings(_env_file=None)
    assert (settings.timezone, settings.operators) == ("Europe/Berlin", ())


@pytest.mark.parametrize("file", [*UNITS, DEPLOY / "compose.yaml", DEPLOY / "Dockerfile"])
def test_every_setting_it_names_exists(file: Path) -> None:
    text = file.read_text("utf-8")
    named = set(re.findall(r"^Environment=([A-Z_]+)=", text, re.MULTILINE))
    named |= set(re.findall(r"^      ([A-Z_]+): ", text, re.MULTILINE))
    named |= set(re.findall(r"^(?:ENV|   ) ([A-Z_]+)=(?=\S)", text, re.MULTILINE))
    foreign = {
        "POSTGRES_USER",
        "POSTGRES_DB",
        "POSTGRES_PASSWORD_FILE",
        "PATH",
        "PYTHONUNBUFFERED",
        "MPLCONFIGDIR",
    }

    assert named - foreign <= set(SETTINGS)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_a_page_names_exists(page: Path) -> None:
    commands = get_command(app).commands
    text = page.read_text("utf-8")

    named = set(re.findall(r"(?:^|[`\s])dicehall ([a-z][a-z-]+)(?=[\s`])", text, re.MULTILINE))
    assert named
    assert named <= set(commands) | {"is"}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_a_command_that_exists(unit: Path) -> None:
    commands = get_command(app).commands

    for started in re.findall(r"^ExecStart=\S+/dicehall (\S+)", unit.read_text(), re.MULTILINE):
        assert started in commands


def test_the_pins_name_no_address() -> None:
    for file in DEPLOY.glob("requirements*.txt"):
        pins = file.read_text("utf-8")
        assert "://" not in pins
        assert "--index" not in pins
        unhashed = [b for b in re.split(r"\n(?=\S)", pins) if "==" in b and "--hash=" not in b]
        assert unhashed == []


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd on this machine")
def test_the_units_are_valid(tmp_path: Path) -> None:
    for unit in UNITS:
        text = unit.read_text().replace("/opt/dicehall/.venv/bin/dicehall", "/bin/true")
        (tmp_path / unit.name).write_text(text)

    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))],
        capture_output=True,
        text=True,
        check=False,
    )

    ours = [line for line in done.stderr.splitlines() if "dicehall" in line]
    assert ours == []


def test_the_proxy_and_the_containers_agree_where_the_workers_are() -> None:
    nginx, compose = (DEPLOY / "nginx.conf").read_text(), (DEPLOY / "compose.yaml").read_text()

    called = re.findall(r"^    server ([0-9.]+):8443 ", nginx, re.MULTILINE)

    assert called == re.findall(r"ipv4_address: ([0-9.]+)", compose)
    assert len(called) == 2


def test_what_an_operator_keeps_in_the_folder_is_in_no_commit_and_no_image(tmp_path: Path) -> None:
    kept = ["token", ".env", "deploy/dicehall.env", "deploy/secrets/token",
            "deploy/tls/privkey.pem", "dicehall.db", "deploy/token"]  # fmt: skip
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    shutil.copy(DEPLOY.parent / ".gitignore", tmp_path)
    ignored = subprocess.run(
        ["git", "-C", tmp_path, "check-ignore", "--no-index", *kept, "deploy/dicehall.env.example"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    let_in = re.findall(r"^!(.*)$", (DEPLOY.parent / ".dockerignore").read_text(), re.MULTILINE)
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", (DEPLOY / "Dockerfile").read_text(), re.M)

    assert ignored == kept
    assert (DEPLOY.parent / ".dockerignore").read_text().splitlines()[1] == "*"
    assert let_in == " ".join(copied).split()


def test_no_command_line_and_no_environment_holds_a_secret() -> None:
    compose = (DEPLOY / "compose.yaml").read_text()

    assert "${" not in compose
    assert {*secrets()} == {*re.findall(r"/run/secrets/([a-z-]+)", compose)}
    pages = [DEPLOY.parent / "README.md", *PAGES]
    assert not [page for page in pages if re.search(r"echo '?[0-9]+:|:\$[A-Z]", page.read_text())]


def secrets() -> list[str]:
    """The secrets of the containers, each a file."""
    return re.findall(r"\{file: secrets/([a-z-]+)\}", (DEPLOY / "compose.yaml").read_text())
