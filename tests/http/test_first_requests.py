"""Models are built when they are first needed; of a local server that is by many requests at once."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AT_ONCE = """
import sys, threading
from pydantic import ValidationError
from chalicelib.http.blueprints import all_routes

sys.setswitchinterval(1e-6)
models = [m for route in all_routes() for m in (route.query, route.body, *route.answers.values()) if m is not None]
begin, failed = threading.Barrier(8), []

def use():
    begin.wait()
    for model in dict.fromkeys(models):
        try:
            model.model_validate_json(b"{}").model_dump_json()
        except ValidationError:
            pass
        except Exception as error:
            failed.append(f"{model.__name__}: {error!r}")

threads = [threading.Thread(target=use) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(dict.fromkeys(models)), failed)
"""


def test_first_requests_at_once_build_their_models_without_harm() -> None:
    done = subprocess.run([sys.executable, "-c", AT_ONCE], check=True, capture_output=True, text=True, cwd=ROOT)
    number, failed = done.stdout.split(maxsplit=1)
    assert int(number) > 30
    assert failed == "[]\n"
