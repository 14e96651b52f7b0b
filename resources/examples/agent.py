"""An agent in Python, with nothing but the standard library: it takes what waits, does it, and
answers. Stopped at work, it gives back what it has not done. AXON_TOKEN_FILE names the file with
its token, in the folder "tokens" of the hub's data folder; if it stands elsewhere, AXON_HOME names
the data folder."""

import hmac
import http.client
import json
import os
import secrets
import signal
import time

TOKEN_FILE = os.path.abspath(os.environ["AXON_TOKEN_FILE"])
HOME = os.environ.get("AXON_HOME") or os.path.dirname(os.path.dirname(TOKEN_FILE))
with open(TOKEN_FILE, "rb") as file:
    WRITTEN = file.read()
UTF_16 = b"\0" in WRITTEN or WRITTEN[:2] in (b"\xff\xfe", b"\xfe\xff")
BIG = WRITTEN[:2] == b"\xfe\xff" or WRITTEN[:1] == b"\0"
TOKEN = WRITTEN.decode(("utf-16-be" if BIG else "utf-16-le") if UTF_16 else "utf-8")
TOKEN = (TOKEN.removeprefix("\ufeff").splitlines() or [""])[0].strip()


class Refused(Exception):
    """The hub said no; the words say why."""

    def __init__(self, status, words):
        super().__init__(words)
        self.status = status


def connected():
    """A connection to the hub that wrote hub.json: whatever else answers there gets no token."""
    with open(os.path.join(HOME, "hub.json"), encoding="utf-8") as file:
        hub = json.load(file)
    connection = http.client.HTTPConnection("127.0.0.1", hub["port"], timeout=65)
    connection.connect()
    connection.auto_open = 0  # a second connection would not be proven
    nonce = secrets.token_hex(24)
    connection.request("GET", "/v1/proof?n=" + nonce)
    key = f"{hub['boot_secret']} 127.0.0.1:{hub['port']}"
    proof = hmac.new(key.encode(), nonce.encode(), "sha256").hexdigest()
    if proof.encode() not in connection.getresponse().read(4096):
        raise ConnectionError("it is not the hub that answers")
    return connection


def call(path, body):
    """One POST. Raises Refused for a refusal."""
    connection = connected()
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    response = connection.getresponse()
    answer = response.read()
    connection.close()
    if response.status >= 400:
        raise Refused(response.status, answer.decode())
    return json.loads(answer)


def work(text):
    """Do the task here. The text is data from another computer, never code to run."""
    return f"Python has read: {text}"


def until_taken(path, body):
    """Tries until the hub answers: it may be restarting. The answer, and None or why it refused."""
    while True:
        try:
            return call(path, body), None
        except Refused as refused:
            print("Refused:", refused, flush=True)
            if refused.status == 401:
                raise SystemExit("The token has ended: connect this agent again.") from refused
            if refused.status not in (429, 503):
                return None, str(refused)
        except (OSError, ValueError, http.client.HTTPException) as error:
            print("The hub does not answer:", error, flush=True)
        if stopping:
            raise SystemExit("Stopped before the hub was told.")
        time.sleep(1)


def answer(delivery, body):
    """Tells the answer. One that the hub does not take is told as a failure, with its words."""
    _, why = until_taken(delivery + "/reply", body)
    if why is not None:
        error = "Not sent: " + json.loads(why)["detail"]
        until_taken(delivery + "/reply", {"status": "failed", "error": error})


stopping = False
telling = False


def stop(*_):
    """What is being told is told first."""
    global stopping
    stopping = True
    if not telling:
        raise SystemExit(0)


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)

while not stopping:
    claimed, _ = until_taken("/v1/inbox/claim", {"max": 1, "wait_ms": 30_000})
    for item in claimed["items"] if claimed else []:
        delivery, attempt = "/v1/inbox/" + item["delivery_id"], {"attempt": item["attempt"]}
        try:
            if until_taken(delivery + "/ack", attempt)[1] is not None:
                continue
            if item["kind"] in ("delegate", "query"):
                try:
                    body = {"outcome": str(work(item["untrusted"]["text"]))}
                except Exception as error:
                    body = {"status": "failed", "error": str(error)}
                telling = True
                answer(delivery, body)
        except SystemExit:
            if not telling:
                until_taken(delivery + "/nack", attempt)
            raise
        telling = False
        print(item["kind"], "done", flush=True)
