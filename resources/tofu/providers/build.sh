#!/bin/sh
# Builds two real providers from the Go module registry into a filesystem mirror and prints the path of the mirror.
# The live tests use them: time_sleep is a slow create that obeys an interrupt, local_file leaves something on disk to count.
# go.mod and go.sum of each folder pin every module by checksum. About a minute on two cores; afterwards it only prints.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mirror=${XDG_CACHE_HOME:-$HOME/.cache}/groundctl/providers
platform=$(go env GOOS)_$(go env GOARCH)

build() {
  type=$1 version=$2 package=$3
  target=$mirror/registry.opentofu.org/hashicorp/$type/$version/$platform
  binary=terraform-provider-${type}_v$version
  if [ -x "$target/$binary" ]; then return 0; fi
  mkdir -p "$mirror"
  # Inside the cache but outside the mirror's address space: the rename is atomic, and no tool takes it for a package.
  work=$(mktemp -d "$mirror/.build.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cp "$here/$type/go.mod" "$here/$type/go.sum" "$work/"
  mkdir "$work/package"
  (cd "$work" && CGO_ENABLED=0 GOFLAGS= GOWORK=off go build -mod=readonly -trimpath -buildvcs=false \
    -ldflags "-s -w -X main.version=$version" -o "package/$binary" "$package" >&2)
  mkdir -p "$(dirname "$target")"
  rm -rf "$target"
  mv "$work/package" "$target"
  rm -rf "$work"
}

build time 0.14.2 github.com/hashicorp/terraform-provider-time
build local 1.4.0 github.com/terraform-providers/terraform-provider-local
echo "$mirror"
