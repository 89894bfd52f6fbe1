import fs from 'node:fs';
import { bundleChildren } from './bundle-children.ts';
import { writeEmptyLedger } from './empty-ledger.ts';
import { makeMemoryFolder } from './memory-folder.ts';

const name = `children-${process.pid}`;

/** Makes once what every test of a run would otherwise make for itself. The projects of a run share it. */
export async function setup(): Promise<() => void> {
  if (process.env['GROUNDCTL_TEST_CHILDREN']?.endsWith(name)) return () => {};
  const folder = await bundleChildren(name);
  const memory = makeMemoryFolder();
  Object.assign(process.env, {
    GROUNDCTL_TEST_CHILDREN: folder,
    GROUNDCTL_TEST_LEDGER: writeEmptyLedger(folder),
    ...(memory && { GROUNDCTL_TEST_MEMORY: memory }),
  });
  return () => {
    for (const used of [folder, memory]) if (used) fs.rmSync(used, { recursive: true, force: true });
  };
}
