#!/usr/bin/env bash
# One step of a desktop's packages on the system it runs on: `test`, `build` or `install-and-start`.
set -euo pipefail
cd "$(dirname "$0")/../.."
system=$(uname -s)

# Runs a command with a display: that of the machine, or a virtual one.
with_display() {
  if [ "$system" = Linux ] && [ -z "${DISPLAY:-}" ]; then xvfb-run --auto-servernum "$@"; else "$@"; fi
}

# The package of a pattern; fails unless there is exactly one.
package() {
  local found=(dist/packages/Ground-Control-*"$1")
  [ "${#found[@]}" -eq 1 ] && [ -f "${found[0]}" ] || { echo "There must be one package $1." >&2; exit 1; }
  echo "${found[0]}"
}

case "${1:-}" in
  test)
    if [ "$system" = Linux ]; then
      sudo apt-get update
      sudo apt-get install -y --no-install-recommends bubblewrap rpm xvfb libfuse2t64
      sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 || true
    fi
    npm ci
    npx --no-install install-electron
    node server/build.mjs --force --desktop
    with_display npx --no-install vitest run --project live e2e/desktop-electron.live.test.ts
    ;;
  build)
    if [ -n "${APPLE_API_KEY_TEXT:-}" ]; then
      APPLE_API_KEY=$(mktemp)
      trap 'rm -f "$APPLE_API_KEY"' EXIT
      printf '%s' "$APPLE_API_KEY_TEXT" >"$APPLE_API_KEY"
      export APPLE_API_KEY
    fi
    unset APPLE_API_KEY_TEXT
    # electron-builder takes an empty certificate for a broken one.
    for name in CSC_LINK CSC_KEY_PASSWORD WIN_CSC_LINK WIN_CSC_KEY_PASSWORD; do [ -n "${!name:-}" ] || unset "$name"; done
    node server/build.mjs --desktop
    node .ci/release/desktop-packages.ts
    node .ci/release/contents.ts dist/packages
    # Builds of two processors write a file of one name; assemble.sh merges them.
    if [ -e dist/packages/latest-mac.yml ]; then mv dist/packages/latest-mac.yml "dist/packages/latest-mac.$(uname -m).yml"; fi
    ;;
  install-and-start)
    case "$system" in
      Linux)
        node .ci/release/compare-linux-packages.ts "$(package .deb)" "$(package .rpm)"
        sudo apt-get install -y "./$(package .deb)"
        with_display node .ci/release/start-desktop.ts "/opt/Ground Control/groundctl"
        sudo apt-get remove -y groundctl
        [ ! -e "/opt/Ground Control" ] || { echo 'The removal left files in /opt.' >&2; exit 1; }
        image=$(package .AppImage)
        chmod +x "$image"
        with_display node .ci/release/start-desktop.ts "./$image"
        ;;
      Darwin)
        volume=$(mktemp -d)
        hdiutil attach "$(package .dmg)" -mountpoint "$volume" -nobrowse
        cp -R "$volume/Ground Control.app" "$HOME/Applications/" 2>/dev/null ||
          { mkdir -p "$HOME/Applications" && cp -R "$volume/Ground Control.app" "$HOME/Applications/"; }
        hdiutil detach "$volume"
        node .ci/release/start-desktop.ts "$HOME/Applications/Ground Control.app/Contents/MacOS/Ground Control"
        ;;
      *)
        # Git's shell would turn the options into paths.
        MSYS_NO_PATHCONV=1 "./$(package .exe)" /S /currentuser
        node .ci/release/start-desktop.ts "$LOCALAPPDATA/Programs/groundctl/Ground Control.exe"
        ;;
    esac
    ;;
  *)
    echo 'Usage: .ci/release/desktop.sh test|build|install-and-start' >&2
    exit 2
    ;;
esac
