#!/bin/sh
# Builds the pinned nats-server from the Go module registry into a cache folder and prints the path of the binary.
# go.mod and go.sum beside this file pin every module by checksum. First run: about a minute on two cores; afterwards it only prints.
set -eu
version=2.15.2
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/groundctl/nats/$version
if [ -x "$cache/nats-server" ]; then
  echo "$cache/nats-server"
  exit 0
fi
mkdir -p "$cache"
work=$(mktemp -d "$cache/.build.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$here/go.mod" "$here/go.sum" "$work/"
cd "$work"
# -mod=readonly keeps the pins.
CGO_ENABLED=0 GOFLAGS= GOWORK=off go build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o nats-server github.com/nats-io/nats-server/v2 >&2
# The cache is on the same file system as the work folder, so the rename is atomic and two builds cannot mix.
mv -f nats-server "$cache/nats-server"
echo "$cache/nats-server"
