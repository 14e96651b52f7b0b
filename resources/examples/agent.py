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


while True:
    try:
        for item in call("/v1/inbox/claim", {"max": 1, "wait_ms": 30_000})["items"]:
            delivery = "/v1/inbox/" + item["delivery_id"]
            call(delivery + "/ack", {"attempt": item["attempt"]})
            if item["kind"] in ("delegate", "query"):
                outcome = work(item["untrusted"]["text"])
                call(delivery + "/reply", {"outcome": outcome, "summary": outcome})
            print(item["kind"], "done", flush=True)
    except (urllib.error.URLError, TimeoutError) as error:
        print("The hub does not answer:", error, flush=True)
        time.sleep(1)
