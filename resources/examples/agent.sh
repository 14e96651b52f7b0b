#!/bin/sh
# An agent in a shell, with curl and sed: it takes what waits, and answers. AXON_TOKEN_FILE names the
# file with its token; AXON_URL is the hub's address, if it is not the usual one. The token is given
# to curl on its input, so that no other program sees it among the arguments.
set -eu
base=${AXON_URL:-http://127.0.0.1:7117}

call() { # path, body
  printf 'header = "Authorization: Bearer %s"\n' "$(cat "$AXON_TOKEN_FILE")" |
    curl -sS --fail-with-body --max-time 65 --config - \
      -H 'Content-Type: application/json' -d "$2" "$base$1"
}

field() { # name: the first field of that name in the item
  printf '%s' "$item" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

while true; do
  # One item at a time, shortened to what stands before the words of others.
  item=$(call /v1/inbox/claim '{"max":1,"wait_ms":30000}' | sed 's/"instruction_from_hub".*//') ||
    { sleep 1; continue; }
  delivery=$(field delivery_id)
  [ -n "$delivery" ] || continue
  call "/v1/inbox/$delivery/ack" "{\"attempt\":$(field attempt)}" > /dev/null
  case $(field kind) in
    delegate | query)
      call "/v1/inbox/$delivery/reply" '{"outcome":"The shell has it.","summary":"The shell has it."}' \
        > /dev/null ;;
  esac
  echo "$(field kind) done"
done
