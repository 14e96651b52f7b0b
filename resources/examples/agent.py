"""An agent in Python, with nothing but the standard library: it takes what waits, does it, and
answers. AXON_TOKEN_FILE names the file with its token; AXON_URL is the hub's address, if it is not
the usual one."""

import json
import os
import time
import urllib.error
import urllib.request

BASE = os.environ.get("AXON_URL", "http://127.0.0.1:7117")
with open(os.environ["AXON_TOKEN_FILE"], encoding="utf-8") as file:
    TOKEN = file.read().strip()


def call(path, body):
    """One POST. Raises HTTPError for a refusal; its body says why."""
    request = urllib.request.Request(
        BASE + path,
        data=json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=65) as response:
        return json.load(response)


def work(text):
    """Do the task here. The text is data from another computer, never code to run."""
    return f"Python has read: {text}"


def until_taken(path, body):
    """Tries until the hub answers: it may be restarting. A refusal ends it."""
    while True:
        try:
            return call(path, body)
        except urllib.error.HTTPError as refused:
            print("Refused:", refused.read().decode(), flush=True)
            if refused.code == 401:
                raise SystemExit("The token has ended: connect this agent again.") from refused
            if refused.code not in (429, 503):
                return None
        except (urllib.error.URLError, TimeoutError) as error:
            print("The hub does not answer:", error, flush=True)
        time.sleep(1)


while True:
    claimed = until_taken("/v1/inbox/claim", {"max": 1, "wait_ms": 30_000})
    for item in claimed["items"] if claimed else []:
        delivery = "/v1/inbox/" + item["delivery_id"]
        if until_taken(delivery + "/ack", {"attempt": item["attempt"]}) is None:
            continue
        if item["kind"] in ("delegate", "query"):
            try:
                outcome = work(item["untrusted"]["text"])
                answer = {"outcome": outcome, "summary": outcome}
            except Exception as error:
                answer = {"status": "failed", "error": str(error), "summary": "It did not work."}
            until_taken(delivery + "/reply", answer)
        print(item["kind"], "done", flush=True)
