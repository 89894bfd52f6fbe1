import path from 'node:path';
import type { Folders, ToolManager } from '../domains/execution/index.ts';
import type { KeysStore, MasterKeyManager } from '../domains/keys/index.ts';
import type { Code } from '../drivers/code/index.ts';
import type { Git } from '../drivers/git/index.ts';
import type { JsonSchemas } from '../drivers/json-schema/index.ts';
import type { ModuleCalls } from '../drivers/module-calls/index.ts';
import type { Packages } from '../drivers/packages/index.ts';
import type { Scan } from '../drivers/scan/index.ts';
import { listMirror } from '../drivers/tofu/index.ts';
import type { KeyRing } from '../drivers/vault/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import type { Bound } from '../kernel/http/index.ts';
import type { Log } from '../kernel/log.ts';
import type { Settings } from '../kernel/settings.ts';
import type { Runner } from '../runner/index.ts';

/** Services that every domain uses. */
export type AppContext = {
  settings: Settings;
  db: Db;
  clock: Clock;
  log: Log;
  vault: KeyRing;
  /** Manager that unseals the vault and changes its key. */
  masterKeys: MasterKeyManager;
  keysStore: KeysStore;
  /** Path of the Node that runs child processes. */
  nodePath: string;
  git: Git;
  /** Packages of modules. */
  packages: Packages;
  moduleCalls: ModuleCalls;
  scan: Scan;
  code: Code;
  /** Schemas of forms. */
  schemas: JsonSchemas;
  runner: Runner;
  toolManager: ToolManager;
  /** Version of the tool that modules are scanned for while no tool is installed. */
  pinnedToolVersion: string;
  /** Time for which a credential service may answer; set in tests. */
  credentialAnswerMs?: number;
  /** Delay before a bucket of the fence that gave no answer is read again; set in tests. */
  fenceRetryMs?: number;
  /** Address of the server, set when it listens. */
  bound: Bound;
};

/** Returns the folders of Runs, Capsules and providers in the data folder. */
export const foldersOf = ({ dataDir, providerMirror }: Settings): Folders => ({
  runs: path.join(dataDir, 'runs'),
  capsules: path.join(dataDir, 'capsules'),
  archives: path.join(dataDir, 'archives'),
  providers: path.join(dataDir, 'providers'),
  mirror: providerMirror,
});

/** Returns the addresses of the providers in the operator's mirror; empty without a mirror. */
export const mirroredIn = ({ mirror }: Pick<Folders, 'mirror'>): string[] =>
  mirror === undefined ? [] : listMirror(mirror);
