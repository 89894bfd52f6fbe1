import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Ground, startGround } from '../fixtures/ground.ts';
import { makeMirror } from '../fixtures/mirror.ts';
import { findTool } from '../fixtures/tool.ts';
import { type Control, createControl } from './control.ts';
import { type Plot, preparePlot } from './plot.ts';
import { buildShim } from './shim.ts';

/** A server on a data folder whose disk does what `control` says, with something made on it already. */
export type FaultyDisk = { control: Control; ground: Ground; plot: Plot; stop(): Promise<void> };

/** Providers come from a mirror beside the disk, which no fault strikes. */
export async function startOnFaultyDisk(): Promise<FaultyDisk> {
  const shim = buildShim();
  const mirror = mkdtempSync(path.join(os.tmpdir(), 'groundctl-mirror-'));
  const root = path.join(shim.folder, 'disk');
  const dataDir = path.join(root, 'data');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const control = createControl(path.join(shim.folder, 'control'));
  let ground: Ground | undefined;
  const stop = async (): Promise<void> => {
    control.clear();
    await ground?.stop();
    control.close();
    shim.remove();
    rmSync(mirror, { recursive: true, force: true });
  };
  try {
    await makeMirror(mirror, findTool());
    const faults = shim.environment({ root, control: control.file });
    ground = await startGround({ dataDir, env: { ...faults, GROUNDCTL_PROVIDER_MIRROR: mirror } });
    return { control, ground, plot: await preparePlot(ground), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
