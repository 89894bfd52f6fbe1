#!/bin/sh
# Builds the pinned nats-server and prints the path of the binary. First run: about a minute on two cores.
set -eu
version=2.15.2
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/../go/build.sh" "$here" "nats/$version/nats-server" github.com/nats-io/nats-server/v2
