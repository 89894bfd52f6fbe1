import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { sealedColumns } from '../src/compose/sealed-columns.ts';
import { createActivityService, verifyTrail } from '../src/domains/activity/index.ts';
import {
  createKeySources,
  createKeysService,
  createKeysStore,
  createMasterKeyManager,
  findInterimKey,
  type KeySources,
  type KeyStep,
  type KeyUse,
  keyRegistryOf,
} from '../src/domains/keys/index.ts';
import {
  createVault,
  interimInstallationKey,
  interimKeyFile,
  type KeySourceKind,
  type SealContext,
} from '../src/drivers/vault/index.ts';
import { interimSealKey } from '../src/drivers/vault/interim-key.ts';
import { sealBytes } from '../src/drivers/vault/seal.ts';
import { systemClock } from '../src/kernel/clock.ts';
import type { Db } from '../src/kernel/db.ts';
import { readInstallationId } from '../src/kernel/installation.ts';
import { createLog } from '../src/kernel/log.ts';
import { createCursors } from '../src/kernel/page.ts';
import { openTestLedger } from './empty-ledger.ts';

type KeyFixtureOptions = {
  dir: string;
  sources?: KeySources;
  wanted?: { kind: KeySourceKind; orFile: boolean };
  uses?: () => readonly KeyUse[];
  passed?: (step: KeyStep) => void;
};
export type KeyFixture = Awaited<ReturnType<typeof openKeyFixture>>;

export const keyFileOf = (dir: string): string => path.join(dir, 'config', 'test.key');

/** Sources as a server has them, without a keychain. */
export const plainSources = (dir: string, passphraseFile?: string): KeySources =>
  createKeySources({
    installationId: 'test',
    keyFile: keyFileOf(dir),
    passphraseFile,
    env: {},
    home: dir,
    keychain: { run: () => Promise.reject(new Error('no')), nodePath: '', entry: '' },
  });

/** The ledger, its vault and its key storage, without the rest of a server. */
export async function openKeyFixture({ dir, uses = () => [], passed = () => {}, ...more }: KeyFixtureOptions) {
  const db = openTestLedger(dir);
  const clock = systemClock;
  const log = createLog('silent');
  const store = createKeysStore(db, clock.now);
  const vault = createVault(keyRegistryOf(db, store));
  const sources = more.sources ?? plainSources(dir);
  const wanted = more.wanted ?? { kind: 'file' as const, orFile: false };
  const isUsed = db.sqlite.prepare('SELECT 1 FROM audit_head').get() !== undefined;
  const interim = () => findInterimKey(dir, { isUsed, isRight: () => true });
  const masterKeys = createMasterKeyManager({ db, log, store, vault, sources, wanted, interim, passed });
  const activity = createActivityService({
    db,
    clock,
    cursors: createCursors('test'),
    installationKey: () => vault.installationKey('audit'),
  });
  const keys = createKeysService({
    db,
    clock,
    log,
    store,
    vault,
    masterKeys,
    dataDir: dir,
    installationId: readInstallationId(db),
    activity,
    columns: sealedColumns,
    listUses: uses,
    passed,
  });
  try {
    await masterKeys.open();
  } catch (error) {
    db.close();
    throw error;
  }
  const close = async () => {
    await keys.stop();
    db.close();
  };
  return { db, store, vault, masterKeys, keys, activity, close };
}

/** Sealed values of three Workspaces, some of them large enough to fill a chunk alone. */
const rows: readonly (SealContext & { plain: string })[] = [1, 2, 3].flatMap((n) => {
  const workspaceId = `ws_${n}`;
  const large = n === 2 ? 'large state '.repeat(100_000) : `state of ${n}`;
  return [
    ...Array.from({ length: 30 }, (_, index) => ({
      table: 'sources',
      row: `src_${n}_${String(index).padStart(3, '0')}`,
      column: 'hook_secret',
      workspaceId,
      plain: `hook ${n} ${index}`,
    })),
    { table: 'state_versions', row: `state_${n}`, column: 'state', workspaceId, plain: large },
    { table: 'install_configs', row: `icfg_${n}`, column: 'secrets', workspaceId, plain: `{"p":"secret ${n}"}` },
  ];
});

const values: Readonly<Record<string, (row: SealContext, sealed: Buffer) => Record<string, unknown>>> = {
  sources: ({ row, workspaceId }, sealed) => ({
    id: row,
    workspace_id: workspaceId,
    name: row,
    url: 'https://example.com/a',
    default_ref: 'HEAD',
    default_path: '.',
    status: 'active',
    auto_sync: 0,
    hook_secret: sealed,
    created_at: 1,
    updated_at: 1,
  }),
  state_versions: ({ row, workspaceId }, sealed) => ({
    id: row,
    workspace_id: workspaceId,
    capsule_id: `cap_${row}`,
    environment: 'test',
    generation: 1,
    created_by_run_id: `apply_${row}`,
    resource_count: 0,
    partial: 0,
    lineage: 'l',
    serial: 1,
    tool_name: 'tofu',
    state_digest: 'sha256:x',
    state: sealed,
    created_at: 1,
  }),
  install_configs: ({ row, workspaceId }, sealed) => ({
    id: row,
    workspace_id: workspaceId,
    name: row,
    derived: 1,
    variable_mapping: '{}',
    secret_variables: '[]',
    secrets: sealed,
    policy: '{}',
    all_outputs: 1,
    digest: 'sha256:x',
    created_at: 1,
    updated_at: 1,
  }),
};

/** Fills a ledger with sealed values and a few rows of the audit trail. */
export function fillLedger(db: Db, seal: (context: SealContext, plain: Buffer) => Buffer, auditKey: string): void {
  db.sqlite.pragma('foreign_keys = OFF');
  db.write(() => {
    for (const { plain, ...context } of rows) {
      const record = values[context.table]?.(context, seal(context, Buffer.from(plain))) ?? {};
      const names = Object.keys(record);
      db.sqlite
        .prepare(`INSERT INTO ${context.table} (${names.join()}) VALUES (${names.map((name) => `@${name}`).join()})`)
        .run(record);
    }
  });
  db.sqlite.pragma('foreign_keys = ON');
  const activity = createActivityService({
    db,
    clock: systemClock,
    cursors: createCursors('test'),
    installationKey: auditKey,
  });
  for (const name of ['one', 'two'])
    db.write(() => activity.record({ action: 'vault.unsealed', targetType: 'test', targetId: name }));
}

/** A data folder as the first versions left it: one key in the folder itself, older copies of the ledger beside it. */
export function makeInterimFolder(dir: string): Buffer {
  const key = randomBytes(32);
  fs.mkdirSync(path.dirname(interimKeyFile(dir)), { recursive: true, mode: 0o700 });
  fs.writeFileSync(interimKeyFile(dir), key, { mode: 0o600 });
  const db = openTestLedger(dir);
  const seal = (context: SealContext, plain: Buffer) =>
    sealBytes(interimSealKey(key), { layout: 1, keyVersion: 1 }, { context, plain });
  fillLedger(db, seal, interimInstallationKey(key, 'audit').toString('hex'));
  db.close();
  fs.mkdirSync(path.join(dir, 'ledger-copies'), { mode: 0o700 });
  fs.copyFileSync(path.join(dir, 'ledger.db'), path.join(dir, 'ledger-copies', 'ledger-old.db'));
  return key;
}

/** Problems of the ledger: values that do not open to their original content, and a broken audit trail. */
export function findLosses({ db, vault }: Pick<KeyFixture, 'db' | 'vault'>): string[] {
  const losses = rows.filter(({ plain, ...context }) => {
    const { table, column, row } = context;
    const sealed = db.sqlite.prepare(`SELECT ${column} FROM ${table} WHERE id = ?`).pluck().get(row) as Buffer;
    try {
      return vault.open(context, sealed).toString() !== plain;
    } catch {
      return true;
    }
  });
  const { broken } = verifyTrail(db, vault.installationKey('audit'));
  const integrity = db.sqlite.pragma('integrity_check', { simple: true });
  return [
    ...losses.map(({ table, row }) => `${table} ${row}`),
    ...(broken ? [broken.sentence] : []),
    ...(integrity === 'ok' ? [] : [String(integrity)]),
  ];
}

/** Key versions of the values, by layout and number; one entry when all have moved. */
export const versionsIn = (db: Db): string[] =>
  db.sqlite
    .prepare(
      `SELECT DISTINCT hex(substr(v, 1, 5)) FROM (SELECT hook_secret AS v FROM sources UNION ALL
       SELECT state FROM state_versions UNION ALL SELECT secrets FROM install_configs) ORDER BY 1`,
    )
    .pluck()
    .all() as string[];
