#!/usr/bin/env bash
# A stranger's first hour at a terminal, with the commands of the README and its pages: the demo, two hubs on this computer, an invitation, an
# agent on each, a request that a person allows, its result, and finding it again. Wants what `npm ci` installs and nothing else. Ends with 0
# where all of it came about.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
mum=$folder/mum dad=$folder/dad
on() {
  local home=$1
  shift
  npx axon --home "$home" "$@"
}
# At a terminal of a person a passphrase is asked for; a script reads it from a file.
person() {
  local home=$1
  shift
  on "$home" --passphrase-file "$folder/passphrase" "$@"
}
# Runs a line again until it prints what is waited for: what, then seconds, then the line.
until_said() {
  local what=$1 left=$2 said
  shift 2
  until said=$("$@" 2>&1) && grep -q -- "$what" <<<"$said"; do
    if [ $((left -= 1)) -le 0 ]; then
      printf 'waited for "%s" of: %s\n%s\n' "$what" "$*" "$said" >&2
      exit 1
    fi
    sleep 1
  done
  printf '%s\n' "$said"
}
# In a group of its own, which gets the signal as a whole, as by Ctrl+C.
start() {
  local out=$1
  shift
  setsid "$@" >"$out" 2>&1 &
  started+=($!)
}
ended() {
  local code=$?
  for group in "${started[@]}"; do kill -TERM -- "-$group" 2>/dev/null || true; done
  wait || true
  rm -rf "$folder"
  exit "$code"
}
started=()
trap ended EXIT

echo '== npm run demo'
start "$folder/demo" npm run --silent demo
until_said 'http://127.0.0.1' 120 cat "$folder/demo"
kill -INT -- "-${started[0]}"
until_said 'nothing of it was kept' 30 cat "$folder/demo"

echo '== two hubs on one computer'
printf 'a passphrase of six words or so\n' >"$folder/passphrase"
chmod 600 "$folder/passphrase"
for hub in Mum Dad; do
  home=$folder/${hub,,}
  start "$home.log" npx axon --home "$home" hub --name "$hub" --api-port 0 --peer-port 0 --interface lo
done
for home in "$mum" "$dad"; do
  until_said running 60 on "$home" status
  on "$home" passphrase --passphrase-file "$folder/passphrase"
done

echo '== pair them by an invitation'
person "$mum" invite --json | node -e 'process.stdout.write(JSON.parse(require("fs").readFileSync(0, "utf8")).link)' >"$folder/link"
chmod 600 "$folder/link"
person "$dad" join --link-file "$folder/link"

echo '== an agent on each of them'
person "$mum" agents add chat --domain family.chat
person "$dad" agents add claude-code --domain family.chat
printf '#!/bin/sh\nread -r task\necho "The family chat knows: $task"\n' >"$folder/my-agent"
chmod +x "$folder/my-agent"
start "$folder/listen" npx axon --home "$mum" --as chat listen --domain family.chat -- "$folder/my-agent"

echo '== ask, as the agent does it'
until_said online 60 on "$dad" peers
until_said family.chat 60 on "$dad" discover Mum
on "$dad" delegate Mum 'Tell the family chat that dinner is at 7' --domain family.chat

echo '== decide on the other computer'
until_said 'dinner is at 7' 30 person "$mum" approvals
card=$(person "$mum" approvals --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).items[0].id')
digest=$(person "$mum" approvals show "$card" --json | node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).digest')
person "$mum" approvals allow "$card" --digest "$digest"

echo '== the answer, and finding it again'
until_said 'The family chat knows: ' 60 on "$dad" search knows
for home in "$mum" "$dad"; do until_said 'dinner is at 7' 30 on "$home" search dinner; done
echo 'A stranger can do it.'
