#!/bin/sh
# Builds the pinned OpenTofu from the Go module registry into a cache folder and prints the path of the binary.
# go.mod and go.sum beside this file pin every module by checksum. First run: about five minutes on two cores; afterwards it only prints.
set -eu
version=1.12.6
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/groundctl/tofu/$version
if [ -x "$cache/tofu" ]; then
  echo "$cache/tofu"
  exit 0
fi
mkdir -p "$cache"
work=$(mktemp -d "$cache/.build.XXXXXX")
trap 'rm -rf "$work"' EXIT
cp "$here/go.mod" "$here/go.sum" "$work/"
cd "$work"
# Without version.dev the binary calls itself a development build and refuses nothing; -mod=readonly keeps the pins.
CGO_ENABLED=0 GOFLAGS= GOWORK=off go build -mod=readonly -trimpath -buildvcs=false \
  -ldflags '-s -w -X github.com/opentofu/opentofu/version.dev=no' -o tofu github.com/opentofu/opentofu/cmd/tofu >&2
# The cache is on the same file system as the work folder, so the rename is atomic and two builds cannot mix.
mv -f tofu "$cache/tofu"
echo "$cache/tofu"
