#!/usr/bin/env bash
# Runs a command line beside a window manager, on the screen that is there: without one no window is focused or minimised.
set -euo pipefail
openbox &
manager=$!
trap 'kill "$manager" 2>/dev/null || true' EXIT
"$@"
