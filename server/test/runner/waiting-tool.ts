import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { sandboxPaths } from '../../src/os/sandbox.ts';
import type { Capsule } from './capsule.ts';

/**
 * A tool whose init lasts until it is released, so that its plan is prewarmed in that time; `plan` is the plan command,
 * in sh.
 */
export function toolIn(dir: string, plan: string): string {
  const file = path.join(dir, 'patient-tool');
  const backend = { type: 'local', config: { path: `${sandboxPaths.state}/terraform.tfstate` } };
  writeFileSync(
    file,
    `#!/bin/sh
if [ "$1" = init ]; then
  while [ ! -e go ]; do sleep 0.02; done
  echo '${JSON.stringify({ backend })}' >"$TF_DATA_DIR/terraform.tfstate"
  exit 0
fi
${plan}
exit 1
`,
  );
  chmodSync(file, 0o755);
  return file;
}

export const letGo = (capsule: Capsule): void => writeFileSync(path.join(capsule.dir, 'tree', 'go'), '');

/** Returns the plan beside an init, once it waits for its configuration or has ended. */
export async function findPrewarmedPid(runDir: string): Promise<number> {
  const isConfigWritten = (): boolean => existsSync(path.join(runDir, 'cli-next', 'cli.tfrc.file'));
  await expect.poll(isConfigWritten, { timeout: 20_000, interval: 10 }).toBe(true);
  const status = readFileSync(path.join(runDir, 'status-next.json'), 'utf8');
  return Number(/"child-pid"\s*:\s*(\d+)/.exec(status)?.[1]);
}
