import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Harness, startHarness } from '../fixtures/harness.ts';
import { makeMirror } from '../fixtures/mirror.ts';
import { findTool } from '../fixtures/tool.ts';
import { type Control, createControl } from './control.ts';
import { type Plot, preparePlot } from './plot.ts';
import { buildShim } from './shim.ts';

/** Starts a server on a data folder whose disk follows `control`, with records already in it. */
export type FaultyDisk = { control: Control; harness: Harness; plot: Plot; stop(): Promise<void> };

/** Providers come from a mirror outside the disk, without faults. */
export async function startOnFaultyDisk(): Promise<FaultyDisk> {
  const shim = buildShim();
  const mirror = mkdtempSync(path.join(os.tmpdir(), 'groundctl-mirror-'));
  const root = path.join(shim.folder, 'disk');
  const dataDir = path.join(root, 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const control = createControl(path.join(shim.folder, 'control'));
  let harness: Harness | undefined;
  const stop = async (): Promise<void> => {
    control.clear();
    await harness?.stop();
    control.close();
    shim.remove();
    rmSync(mirror, { recursive: true, force: true });
  };
  try {
    await makeMirror(mirror, findTool());
    const faults = shim.environment({ root, control: control.file });
    harness = await startHarness({ dataDir, env: { ...faults, GROUNDCTL_PROVIDER_MIRROR: mirror } });
    return { control, harness, plot: await preparePlot(harness), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
