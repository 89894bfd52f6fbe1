import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Installed } from '../drivers/releases/index.ts';
import { knownMigrations } from '../kernel/db.ts';
import { productVersion } from '../kernel/entry.ts';
import { isSupervised } from '../runner/index.ts';

/** Version of this product and of its ledger. */
export const installedProduct = (): Installed => ({ version: productVersion(), ledger: knownMigrations() });

/** Returns the names of the folders of Runs whose supervisor is alive on this machine; also after a stop of the server. */
export function findSupervisedRuns(dataDir: string): string[] {
  const folder = path.join(dataDir, 'runs');
  // The first Run makes the folder.
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => isSupervised(path.join(folder, name)));
}
