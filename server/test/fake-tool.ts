import fs from 'node:fs';
import path from 'node:path';

/** A program that reports this OpenTofu version and supports nothing else. */
export function writeFakeTool(dir: string, version = '1.12.6'): string {
  const file = path.join(dir, 'tofu');
  fs.writeFileSync(file, `#!/bin/sh\n[ "$1" = version ] || exit 1\necho "OpenTofu v${version}"\n`, { mode: 0o755 });
  return file;
}
