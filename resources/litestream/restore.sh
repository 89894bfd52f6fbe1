#!/bin/sh
# Restores a continuous copy into a new data folder and marks it as restored. docs/backup.md explains it.
# Usage: restore.sh LITESTREAM_YML LEDGER_PATH_IN_YML NEW_DATA_DIR
# GROUNDCTL and LITESTREAM name other commands.
set -eu
umask 077
if [ $# -ne 3 ]; then
  echo "Usage: restore.sh LITESTREAM_YML LEDGER_PATH_IN_YML NEW_DATA_DIR" >&2
  exit 2
fi
config=$1 ledger=$2 folder=$3
if [ -e "$folder" ] && [ -n "$(ls -A "$folder")" ]; then
  echo "$folder is not empty. Name a new data folder." >&2
  exit 2
fi
mkdir -p "$folder"
chmod 700 "$folder"
"${LITESTREAM:-litestream}" restore -config "$config" -integrity-check full -o "$folder/ledger.db" "$ledger"
# Without the mark, a start would continue as if nothing had happened since the copy.
${GROUNDCTL:-groundctl} restore mark --data-dir "$folder"
