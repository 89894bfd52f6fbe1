import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomically } from '../../os/durable-file.ts';
import { isSealing } from '../../runner/contract/layout.ts';
import type { LaunchContext } from '../launch-context.ts';

/**
 * Lays the sealed plan of the Run where its commands read it: in a folder of its own, into which a sandbox that stands
 * already can look. `open` gives the clear text, which is all that a tool can read that seals nothing itself.
 */
export function writePlan({ job, layout }: LaunchContext, open: () => Uint8Array): void {
  const file = layout.host.plan;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (!isSealing(job)) {
    writeAtomically(file, open());
    return;
  }
  rmSync(file, { force: true });
  try {
    linkSync(layout.sealedPlan, file);
  } catch {
    // Not every file system has a second name for a file.
    copyFileSync(layout.sealedPlan, file);
  }
}
