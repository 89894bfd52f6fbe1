import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomically } from '../../os/durable-file.ts';
import { isSealing } from '../../runner/contract/layout.ts';
import type { LaunchContext } from '../launch-context.ts';

/**
 * Writes the sealed plan of the Run where its commands read it: into a separate folder, which a prewarmed sandbox has
 * mounted. `open` returns the plain plan for a tool that cannot unseal it.
 */
export function writePlan({ spec, layout }: LaunchContext, open: () => Uint8Array): void {
  const file = layout.host.plan;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  if (!isSealing(spec)) {
    writeAtomically(file, open());
    return;
  }
  rmSync(file, { force: true });
  try {
    linkSync(layout.sealedPlan, file);
  } catch {
    // Some file systems do not support hard links.
    copyFileSync(layout.sealedPlan, file);
  }
}
