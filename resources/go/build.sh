#!/bin/sh
# Builds a program of the Go module registry into the cache and prints its path; a program that is there is only printed.
# Usage: build.sh FOLDER TARGET PACKAGE [LDFLAGS]
# FOLDER holds the go.mod and go.sum that pin every module by checksum. TARGET is the path of the program in the cache.
set -eu
folder=$1 package=$3 ldflags=${4:-}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/groundctl
target=$cache/$2
if [ ! -x "$target" ]; then
  mkdir -p "$(dirname "$target")"
  work=$(mktemp -d "$cache/.build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cp "$folder/go.mod" "$folder/go.sum" "$work/"
  # -mod=readonly keeps the pins.
  (cd "$work" && CGO_ENABLED=0 GOFLAGS='' GOWORK=off go build -mod=readonly -trimpath -buildvcs=false \
    -ldflags "-s -w $ldflags" -o program "$package" >&2)
  # The work folder is on the file system of the cache, so the rename is atomic and two builds cannot mix.
  mv -f "$work/program" "$target"
fi
echo "$target"
