#!/usr/bin/env bash
# What somebody does with the file of `npm pack` on a bare Debian: installs it, has systemd start the hub, upgrades to the next file with
# the data kept, and takes everything out again. Nothing runs as PID 1 in there, so what the unit starts is started here as its user, as far
# shut in as that goes without systemd. Ends with 0 where all of it was so. Run by test/bare-debian.sh, as root.
set -euo pipefail
cd "$(dirname "$0")/.."
export NPM_CONFIG_LOGLEVEL=error DEBIAN_FRONTEND=noninteractive
step() { printf '\n-- %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
expect() { grep -qF -- "$1" <<<"$2" || fail "no '$1' in: $2"; }

# The Debian outlives the run: it is bare again after it, and before it, should a run have been killed.
clean() {
  npm uninstall -g axon-hub >/dev/null 2>&1 || true
  for user in mum axon-hub; do userdel --force "$user" 2>/dev/null || true; done
  rm -rf /home/mum /var/lib/axon-hub /etc/systemd/system/axon-hub.service
  apt-get purge -y -qq --auto-remove systemd >/dev/null 2>&1 || true
}
clean
trap clean EXIT

step 'two files: this version, and one before it'
files=$(mktemp -d)
npm ci
now=$(node -p 'require("./package.json").version')
npm version --no-git-tag-version --allow-same-version 0.0.9 >/dev/null
npm pack --pack-destination "$files" >/dev/null
git checkout --quiet package.json package-lock.json
npm pack --pack-destination "$files" >/dev/null
test ! -e npm-shrinkwrap.json || fail 'npm-shrinkwrap.json was left behind'
rm -rf node_modules out
cd /

step 'npm install -g'
! command -v cc gcc make python3 || fail 'this Debian is not bare'
npm install -g "$files/axon-hub-0.0.9.tgz"
test "$(axon --version)" = 0.0.9
useradd --create-home --shell /bin/bash mum
mum() { runuser -u mum -- env -C /home/mum HOME=/home/mum "$@"; }
expect 'Usage: axon ' "$(mum axon --help)"

# Only to look at the units: no hub needs it.
apt-get update -qq && apt-get install -y -qq --no-install-recommends systemd >/dev/null
# $1 whose (--user, --system), $2 the unit, $3 the exposure that it may have at most, in tenths
look_at() {
  local seen
  seen=$(XDG_RUNTIME_DIR=/tmp systemd-analyze "$1" verify --man=no "$2" 2>&1) || fail "$seen"
  test -z "$seen" || fail "$seen"
  XDG_RUNTIME_DIR=/tmp systemd-analyze "$1" security --offline=yes --threshold="$3" --no-pager "$2" | tail -1
}

# $1 the unit, $2 its data folder, then how to become its user
start_hub() {
  local unit=$1 home=$2 line seconds=0
  shift 2
  line=$(sed -n 's/^ExecStart=//p' "$unit")
  # No word of these lines needs the quotes of systemd.
  # shellcheck disable=SC2086
  "$@" $line >/tmp/hub.out 2>&1 &
  until [ -e "$home/hub.json" ]; do
    [ $((seconds += 1)) -le 120 ] || fail "no hub: $(cat /tmp/hub.out)"
    sleep 0.5
  done
}
stop_hub() {
  kill -TERM "$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).pid' "$1/hub.json")"
  wait %% || fail "the hub did not stop in order: $(cat /tmp/hub.out)"
}

step 'axon hub install: of one person'
unit=/home/mum/.config/systemd/user/axon-hub.service
data=/home/mum/.local/share/axon-hub
ports=(--api-port 7217 --peer-port 7200)
said=$(mum axon hub install --name Attic "${ports[@]}")
expect "Written: $unit" "$said"
# Nothing runs as PID 1.
expect 'The hub was not started' "$said"
look_at --user "$unit" 80
start_hub "$unit" "$data" mum
expect 'Attic: running' "$(mum axon status)"
install -o mum -m 600 <(echo 'a long passphrase of mum') /home/mum/passphrase
mum axon passphrase --passphrase-file passphrase
mum axon agents add cook --domain family.chat --passphrase-file passphrase >/dev/null
before=$(mum axon status --json | node -p 'JSON.parse(require("fs").readFileSync(0)).hub.agent_id')
stop_hub "$data"

step 'the next file, in the same place, on the same data'
npm install -g "$files/axon-hub-$now.tgz"
test "$(axon --version)" = "$now"
mum axon hub install --name Attic "${ports[@]}" >/dev/null
start_hub "$unit" "$data" mum
test "$(mum axon status --json | node -p 'JSON.parse(require("fs").readFileSync(0)).hub.agent_id')" = "$before"
expect cook "$(mum axon agents --passphrase-file passphrase)"
expect 'Link' "$(mum axon status)"
mum axon login --json --passphrase-file passphrase | grep -q 'http://127.0.0.1:7217/' || fail 'no link to the pages'
stop_hub "$data"

step 'axon hub install --system'
unit=/etc/systemd/system/axon-hub.service
said=$(axon hub install --system "${ports[@]}")
expect "Written: $unit" "$said"
look_at --system "$unit" 20
# What systemd does by StateDirectory= and the settings that shut the hub in.
install -d -o axon-hub -g axon-hub -m 700 /var/lib/axon-hub
start_hub "$unit" /var/lib/axon-hub setpriv --reuid axon-hub --regid axon-hub --clear-groups --no-new-privs --bounding-set=-all \
  env -C / HOME=/var/lib/axon-hub
expect running "$(runuser -u axon-hub -- axon --home /var/lib/axon-hub status)"
stop_hub /var/lib/axon-hub

step 'out again: first what starts it, then the data, then the program'
said=$(mum axon hub uninstall)
expect "The data stays in $data" "$said"
test ! -e /home/mum/.config/systemd/user/axon-hub.service
test -e "$data/hub.db"
! mum axon hub uninstall --remove-data 2>/dev/null || fail 'data was removed without a word'
touch "$data/photo.jpg"
! mum axon hub uninstall --remove-data --yes 2>/dev/null || fail 'a folder went that holds more than a hub'
rm "$data/photo.jpg"
test -e "$data/hub.db"
mum axon hub uninstall --remove-data --yes >/dev/null
test ! -e "$data"
# Root in the place of the folder's owner; a folder that is named beside it is none of the system's.
! axon --home /srv hub uninstall --system --remove-data --yes 2>/dev/null || fail 'another folder was named'
test -e "$unit"
said=$(axon hub uninstall --system --remove-data --yes)
expect 'Removed: /var/lib/axon-hub' "$said"
expect 'userdel axon-hub' "$said"
test ! -e "$unit"
test ! -e /var/lib/axon-hub
npm uninstall -g axon-hub
test ! -e /usr/local/bin/axon || fail 'the command stayed'

step 'all of it was so'
