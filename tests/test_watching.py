"""What watches a bot: Prometheus's alert rules and Grafana's dashboard."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
ALERTS = (ROOT / "deploy" / "alerts.yml").read_text("utf-8")
DASHBOARD = json.loads((ROOT / "deploy" / "dashboard.json").read_text("utf-8"))

OBJECTS: dict[str, dict[str, Any]] = {
    "dashboard": {
        "uid": r"[\w-]{8,40}", "title": ".+", "tags": list, "timezone": "browser", "editable": bool,
        "time": dict, "refresh": r"\d+[smh]", "schemaVersion": int, "version": int, "panels": list,
        "templating": dict, "annotations": dict,
    },
    "time": {"from": r"now-\d+[mhd]", "to": "now"},
    "templating": {"list": list},
    "annotations": {"list": list},
    "variable": {
        "name": r"\w+", "label": ".+", "type": "datasource|textbox", "query": ".+",
        "current": dict, "hide": int,
    },
    "panel": {
        "id": int, "type": "stat|timeseries", "title": ".+", "datasource": dict, "gridPos": dict,
        "targets": list, "fieldConfig": dict, "options": dict,
    },
    "gridPos": dict.fromkeys("hwxy", int),
    "datasource": {"type": "prometheus", "uid": r"\$\{datasource\}"},
    "target": {"refId": "[A-Z]", "expr": ".+", "legendFormat": ".+", "datasource": dict},
    "fieldConfig": {"defaults": dict, "overrides": list},
    "defaults": {"unit": "short|reqps|ops|percentunit|s|bytes", "mappings": list},
    "mapping": {"type": "value", "options": dict},
    "result": {"text": ".+", "color": "red|green|orange"},
    "options": {"reduceOptions": dict, "colorMode": "none|value|background"},
    "reduceOptions": {"calcs": list},
}  # fmt: skip
"""What Grafana's documentation and schema of dashboards say of the fields that are used here."""
LISTED = {"list": "variable", "panels": "panel", "targets": "target", "mappings": "mapping"}

promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="no promtool on this machine")


def run(*words: object) -> None:
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def queries() -> list[str]:
    """Every query of the dashboard, as it is sent."""
    return [
        target["expr"].replace("$job", "dicehall")
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    ]


def asked() -> set[str]:
    """Every metric that alerts and dashboard ask for, and no rule makes."""
    text = "\n".join([ALERTS, *queries()])
    return {*re.findall(r"\b(?:dicehall|process)_\w+", text)}


@promtool
def test_every_alert_fires_at_what_it_is_for_and_none_at_a_healthy_bot() -> None:
    run("promtool", "test", "rules", ROOT / "tests" / "alerts.yml")

    named = set(re.findall(r"- alert: (\w+)", ALERTS))
    tests = (ROOT / "tests" / "alerts.yml").read_text("utf-8")
    assert named == set(re.findall(r'alertname[=:] ?"?(\w+)"?', tests)) - {"by"}


@promtool
def test_every_query_of_the_dashboard_is_one(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{n}", "expr": query} for n, query in enumerate(queries())]
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "all", "rules": rules}]}))

    run("promtool", "check", "rules", tmp_path / "rules.yml")


def odd(kind: str, it: dict[str, Any]) -> list[str]:
    """The fields of an object of the dashboard that are not as Grafana has them."""
    fields, found = OBJECTS[kind], []
    for name, value in it.items():
        want = fields.get(name)
        fits = re.fullmatch(want, str(value)) if isinstance(want, str) else type(value) is want
        if want is None or not fits:
            found.append(f"{kind}.{name} = {value!r}")
        if name in OBJECTS and kind != "mapping":
            found += odd(name, value)
        for each in value if name in LISTED else ():
            found += odd(LISTED[name], each)
    return found


def test_every_field_of_the_dashboard_is_one_of_grafanas() -> None:
    assert odd("dashboard", DASHBOARD) == []
    for panel in DASHBOARD["panels"]:
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        for mapping in panel["fieldConfig"]["defaults"].get("mappings", ()):
            for value, shown in mapping["options"].items():
                assert value.isdecimal()
                assert odd("result", shown) == []


def test_the_dashboard_is_what_grafana_imports() -> None:
    panels: list[dict[str, Any]] = DASHBOARD["panels"]
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}

    assert {"uid", "title", "schemaVersion", "panels", "templating", "time"} <= DASHBOARD.keys()
    assert len({panel["id"] for panel in panels}) == len(panels)
    assert len({panel["title"] for panel in panels}) == len(panels)
    assert {panel["type"] for panel in panels} == {"stat", "timeseries"}
    assert {*re.findall(r"\$\{?(\w+)", json.dumps(panels))} == variables
    for panel in panels:
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
    for one, other in combinations((panel["gridPos"] for panel in panels), 2):
        beside = one["x"] + one["w"] <= other["x"] or other["x"] + other["w"] <= one["x"]
        assert beside or one["y"] + one["h"] <= other["y"] or other["y"] + other["h"] <= one["y"]
