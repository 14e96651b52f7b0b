#!/bin/sh
# An agent in a shell, with curl and sed: it takes what waits, and answers. AXON_TOKEN_FILE names the
# file with its token, in the folder "tokens" of the hub's data folder; if it stands elsewhere,
# AXON_HOME names the data folder. It asks the hub by the socket there, at no port. It asks for no
# proof that the hub is who answers: it trusts that only your user account can put something into
# that folder, as the hub makes it. The token is given to curl on its input, so that no other
# program sees it among the arguments.
set -eu
home=${AXON_HOME:-$(dirname "$(dirname "$AXON_TOKEN_FILE")")}

# The first line of the file, whatever else an editor has put into it.
token=$(LC_ALL=C tr -cd '\r\nA-Za-z0-9_-' < "$AXON_TOKEN_FILE" | tr '\r' '\n' | sed q)

call() { # path, body
  printf 'Authorization: Bearer %s\n' "$token" |
    curl -sS --fail-with-body --max-time 65 --unix-socket "$home/hub.sock" -H @- \
      -H 'Content-Type: application/json' -d "$2" "http://localhost$1"
}

field() { # name: the field of that name in the item
  printf '%s' "$item" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"
}

answer() { # body: told until the hub takes it; what it refuses is told as a failure, in its words
  tries=0
  until said=$(call "/v1/inbox/$delivery/reply" "$1"); do
    why=$(printf '%s' "$said" | sed -n 's/.*"detail":"\(\([^"\\]\|\\.\)*\)".*/\1/p')
    case $said in
      *'"retryable":false'*)
        call "/v1/inbox/$delivery/reply" "{\"status\":\"failed\",\"error\":\"Not sent: $why\"}" ||
          true
        return ;;
    esac
    tries=$((tries + 1))
    [ -z "$stopping" ] || [ "$tries" -lt 10 ] || return 0
    sleep 1
  done
}

# Stopped, it takes nothing more, and ends when it has told what it has.
stopping=
trap 'stopping=1' TERM INT HUP

while [ -z "$stopping" ]; do
  # One item at a time, shortened to what stands before the words of others.
  item=$(call /v1/inbox/claim '{"max":1,"wait_ms":10000}') || { sleep 1; continue; }
  item=${item%%'"instruction_from_hub"'*}
  delivery=$(field delivery_id)
  [ -n "$delivery" ] || continue
  call "/v1/inbox/$delivery/ack" "{\"attempt\":$(field attempt)}" > /dev/null || continue
  case $(field kind) in
    delegate | query) answer '{"outcome":"The shell has it."}' > /dev/null ;;
  esac
  echo "$(field kind) done"
done
