#!/bin/sh
# Builds the pinned OpenTofu and prints the path of the binary. First run: about five minutes on two cores.
set -eu
version=1.12.6
here=$(cd "$(dirname "$0")" && pwd)
# Without version.dev the binary calls itself a development build and refuses nothing.
sh "$here/../go/build.sh" "$here" "tofu/$version/tofu" github.com/opentofu/opentofu/cmd/tofu \
  '-X github.com/opentofu/opentofu/version.dev=no'
