#!/bin/sh
# Builds the pinned Litestream and prints the path of the binary. First run: about two minutes on two cores.
set -eu
version=0.5.18
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/../go/build.sh" "$here" "litestream/$version/litestream" github.com/benbjohnson/litestream/cmd/litestream \
  "-X main.Version=$version"
