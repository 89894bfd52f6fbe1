#!/usr/bin/env bash
# Completes a release from its files: `FOLDER/files` gets them with SHA256SUMS and the filled templates of package
# managers, and `FOLDER/notes.md` the notes.
set -euo pipefail
cd "$(dirname "$0")/../.."
usage='Usage: .ci/release/assemble.sh FOLDER BASE_URL TAG'
folder=${1:?$usage} base=${2:?$usage} tag=${3:?$usage}
mkdir "$folder/files"
find "$folder" -maxdepth 1 -type f -exec mv {} "$folder/files/" \;
channels=("$folder"/files/latest-mac.*.yml)
if [ -e "${channels[0]}" ]; then
  node .ci/release/merge-channels.ts "$folder/files/latest-mac.yml" "${channels[@]}"
  rm "${channels[@]}"
fi
# Without the key, packages of earlier releases and `groundctl version --check` do not see this one.
if [ -n "${GROUNDCTL_RELEASE_KEY:-}" ]; then
  node .ci/release/write-record.ts "$folder/files" "${base%/releases/*}/releases/tag/$tag"
fi
node .ci/release/templates.ts "$folder/files" "$base" "$folder/templates"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$folder/templates" -czf "$folder/files/package-managers.tar.gz" .
node .ci/release/checksums.ts "$folder/files"
node .ci/release/notes.ts "$tag" >"$folder/notes.md"
if ls "$folder"/files/*-unsigned.* >/dev/null 2>&1; then
  printf '\nFiles with `unsigned` in their name carry no signature. Check SHA256SUMS and the provenance before you open them.\n' >>"$folder/notes.md"
fi
