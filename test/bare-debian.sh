#!/usr/bin/env bash
# A newcomer's computer: a bare Debian with git, certificates, the Node and npm of this computer and a clone of this project, and nothing else.
# Runs one command line in that clone, without a terminal, and ends with its exit code. Needs root, debootstrap and a minute for the first run.
#
#   test/bare-debian.sh FOLDER 'npm ci && npm test'
#
# The Debian stays in FOLDER/debian with all that a command left there; each run clones the last commit anew. Mounts stand in a namespace of
# the run's own and are gone with it, so the folder can be removed at any time after. DEBIAN_RELEASE and DEBIAN_MIRROR choose another Debian.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: $0 FOLDER COMMAND..." >&2
  exit 2
fi
mkdir -p "$1"
debian=$(realpath "$1")/debian
project=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
shift

# shellcheck source=/dev/null
release=${DEBIAN_RELEASE:-$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")}
if [ ! -e "$debian.made" ]; then
  rm -rf "$debian"
  debootstrap --variant=minbase --include=ca-certificates,git "$release" "$debian" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$debian.log"
  touch "$debian.made"
fi

npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
mkdir -p "$debian/usr/local/lib/node_modules"
cp "$(realpath "$(command -v node)")" "$debian/usr/local/bin/node"
rm -rf "$debian/usr/local/lib/node_modules/npm"
cp -r "$npm" "$debian/usr/local/lib/node_modules/npm"
for tool in npm npx; do ln -sf "../lib/node_modules/npm/bin/$tool-cli.js" "$debian/usr/local/bin/$tool"; done
# The network as it is here: how names are found, and whose certificates count.
cp -L /etc/resolv.conf /etc/hosts "$debian/etc/"
if [ -f /etc/ssl/certs/ca-certificates.crt ]; then cp -L /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/"; fi
rm -rf "$debian/src"
git clone --quiet "$project" "$debian/src"

# A root that is a mount of its own, as network namespaces want it, with a /proc of its own processes. The shell is their init: it stays to
# the end, and so takes leave of orphans, which would else be zombies that look alive.
# shellcheck disable=SC2016
exec unshare --mount --pid --fork --kill-child bash -euc '
  debian=$1
  mount --bind "$debian" "$debian"
  mount -t proc proc "$debian/proc"
  mount --rbind /sys "$debian/sys"
  mount --rbind /dev "$debian/dev"
  mount -t tmpfs tmpfs "$debian/run"
  code=0
  chroot "$debian" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt bash -c "cd /src && $2" || code=$?
  exit "$code"
' bash "$debian" "$*" </dev/null
