#!/usr/bin/env bash
# One step of the image: `build`, `start` or `push`. Needs Docker.
set -euo pipefail
cd "$(dirname "$0")/../.."
case "${1:-}" in
  build)
    for target in server runner; do
      docker build --file resources/docker/Dockerfile --target "$target" --tag "groundctl-$target" .
    done
    ;;
  start)
    id=$(docker run --detach --read-only --tmpfs /tmp --env GROUNDCTL_PUBLIC_URL=https://ground.example --env GROUNDCTL_TRUST_PROXY=127.0.0.1 groundctl-server)
    trap 'docker rm --force --volumes "$id" >/dev/null' EXIT
    docker run --rm --read-only groundctl-runner version
    for _ in $(seq 60); do
      [ "$(docker inspect --format '{{.State.Health.Status}}' "$id")" != healthy ] || exit 0
      sleep 2
    done
    docker logs "$id" >&2
    exit 1
    ;;
  push)
    printf '%s' "$REGISTRY_TOKEN" | docker login "${IMAGE%%/*}" --username "$REGISTRY_USER" --password-stdin
    for target in server runner; do
      docker tag "groundctl-$target" "${IMAGE,,}-$target:${TAG#v}"
      docker push "${IMAGE,,}-$target:${TAG#v}"
    done
    ;;
  *)
    echo 'Usage: .ci/release/image.sh build|start|push' >&2
    exit 2
    ;;
esac
