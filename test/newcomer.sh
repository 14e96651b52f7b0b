#!/usr/bin/env bash
# What the README has a newcomer type, on a fresh clone: the hub starts, is up, and stops when it is told to; then the first ten minutes, and
# every test. Ends with 0 where all of them did.
set -euo pipefail
cd "$(dirname "$0")/.."

npm ci
said=$(mktemp)
npm start >"$said" 2>&1 &
start=$!
seconds=0
until grep -q '"hub started"' "$said"; do
  if [ $((seconds += 1)) -gt 300 ] || ! kill -0 "$start" 2>/dev/null; then
    cat "$said"
    exit 1
  fi
  sleep 1
done
hub=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).pid' "${AXON_HOME:-$HOME/.local/share/axon-hub}/hub.json")
kill -INT "$hub"
wait "$start"
cat "$said"
rm "$said"
test/stranger.sh
npm test
