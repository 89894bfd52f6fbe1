import path from 'node:path';
import type { Folders, ToolManager } from '../domains/deploys/index.ts';
import type { KeysStore, MasterKeyManager } from '../domains/keys/index.ts';
import type { Git } from '../drivers/git/index.ts';
import type { Scan } from '../drivers/scan/index.ts';
import { listMirror } from '../drivers/tofu/index.ts';
import type { KeyRing } from '../drivers/vault/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Log } from '../kernel/log.ts';
import type { Settings } from '../kernel/settings.ts';
import type { Runner } from '../runner/index.ts';

/** What the rooms stand on. */
export type AppContext = {
  settings: Settings;
  db: Db;
  clock: Clock;
  log: Log;
  vault: KeyRing;
  /** What opens the vault and changes its key. */
  masterKeys: MasterKeyManager;
  keysStore: KeysStore;
  /** Node, where children that need it run. */
  nodePath: string;
  git: Git;
  scan: Scan;
  runner: Runner;
  toolManager: ToolManager;
  /** Version of the tool that modules are scanned for while none is installed. */
  pinnedToolVersion: string;
};

/** Where Runs, Capsules and what they need lie in the data folder. */
export const foldersOf = ({ dataDir, providerMirror }: Settings): Folders => ({
  runs: path.join(dataDir, 'runs'),
  capsules: path.join(dataDir, 'capsules'),
  archives: path.join(dataDir, 'archives'),
  providers: path.join(dataDir, 'providers'),
  mirror: providerMirror,
});

/** Addresses of the providers that the operator's mirror holds; none without a mirror. */
export const mirroredIn = ({ mirror }: Pick<Folders, 'mirror'>): string[] =>
  mirror === undefined ? [] : listMirror(mirror);
