#!/usr/bin/env bash
# Builds the npm package, installs and starts it under each supported Node, and packs it into a folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:?Usage: .ci/release/npm.sh FOLDER}
npm ci
node server/build.mjs --force
GROUNDCTL_TEST_DEEP=1 npx --no-install vitest run --project live e2e/npm-package.live.test.ts
staged=$(node .ci/release/npm-package.ts)
mkdir -p "$out"
npm pack "$staged" --pack-destination "$out"
# Of everything in the release, under names of their own.
cp dist/third-party/sbom.cdx.json "$out/groundctl-sbom.cdx.json"
cp dist/third-party/notices.txt "$out/groundctl-third-party-notices.txt"
