#!/bin/sh
# Builds two real providers into a filesystem mirror and prints the path of the mirror. About a minute on two cores.
# The live tests use them: time_sleep is a slow create that obeys an interrupt, local_file leaves something on disk to count.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
platform=$(go env GOOS)_$(go env GOARCH)

build() {
  type=$1 version=$2 package=$3
  target=providers/registry.opentofu.org/hashicorp/$type/$version/$platform/terraform-provider-${type}_v$version
  sh "$here/../../go/build.sh" "$here/$type" "$target" "$package" "-X main.version=$version" >/dev/null
}

build time 0.14.2 github.com/hashicorp/terraform-provider-time
build local 1.4.0 github.com/terraform-providers/terraform-provider-local
echo "${XDG_CACHE_HOME:-$HOME/.cache}/groundctl/providers"
