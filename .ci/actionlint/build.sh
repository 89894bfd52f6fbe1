#!/bin/sh
# Builds the pinned actionlint and prints the path of the binary. First run: about twenty seconds on two cores.
set -eu
version=1.7.12
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/../../resources/go/build.sh" "$here" "actionlint/$version/actionlint" github.com/rhysd/actionlint/cmd/actionlint
