import path from 'node:path';
import Database from 'better-sqlite3';
import { verifyTrail } from '#server/domains/activity/index';
import { viewLedger } from '#server/kernel/db';
import { unpackText } from '#server/kernel/packed';
import { openKeys, type Vault } from './keys.ts';

/*
 * Invariants of a data folder after any fault of the machine. Each check returns the violations as sentences; an empty
 * list means none. The checks only read, beside a running server or without one.
 */

/**
 * The file is intact, references resolve, the audit trail is unbroken, and every state and pointer matches its digest.
 */
export async function findLedgerFaults(dataDir: string): Promise<string[]> {
  const vault = await openKeys(dataDir);
  const view = viewLedger(dataDir);
  if (view === undefined) return ['there is no ledger'];
  try {
    const integrity = view.sqlite.pragma('integrity_check', { simple: true });
    const foreign = view.sqlite.pragma('foreign_key_check') as unknown[];
    const { broken } = verifyTrail(view, vault.installationKey('audit'));
    return [
      ...(integrity === 'ok' ? [] : [`integrity_check says: ${integrity}`]),
      ...(foreign.length === 0 ? [] : [`${foreign.length} references lead nowhere`]),
      ...(broken === undefined ? [] : [`the trail is broken at ${broken.seq}: ${broken.sentence}`]),
      ...findStateFaults(view.sqlite, vault),
    ];
  } finally {
    view.close();
  }
}

type StateRow = { id: string; workspaceId: string; capsuleId: string; generation: number; state: Buffer };

/** Every StateVersion opens, generations have no gap, and a Capsule points at its newest one. */
function findStateFaults(ledger: Database.Database, vault: Vault): string[] {
  const faults: string[] = [];
  const rows = ledger
    .prepare(
      `SELECT id, workspace_id AS workspaceId, capsule_id AS capsuleId, generation, state
       FROM state_versions ORDER BY capsule_id, generation`,
    )
    .all() as StateRow[];
  const newest = new Map<string, StateRow>();
  for (const row of rows) {
    const before = newest.get(row.capsuleId)?.generation ?? 0;
    if (row.generation !== before + 1) faults.push(`${row.capsuleId} has no StateVersion ${before + 1}`);
    newest.set(row.capsuleId, row);
    if (namesIn(row, vault) === undefined) faults.push(`${row.id} does not open`);
  }
  const capsules = ledger
    .prepare('SELECT id, current_state_version_id AS current, current_state_generation AS generation FROM capsules')
    .all() as { id: string; current: string | null; generation: number }[];
  for (const { id, current, generation } of capsules) {
    const latest = newest.get(id);
    if (current !== (latest?.id ?? null) || generation !== (latest?.generation ?? 0))
      faults.push(`${id} does not point at its newest StateVersion`);
  }
  return faults;
}

function namesIn({ id, workspaceId, state }: StateRow, vault: Vault): string[] | undefined {
  try {
    const text = unpackText(vault.open({ table: 'state_versions', row: id, column: 'state', workspaceId }, state));
    const { resources } = JSON.parse(text) as { resources: { instances: { attributes: { name?: string } }[] }[] };
    return resources.flatMap(({ instances }) => instances.map(({ attributes }) => attributes.name ?? ''));
  } catch {
    return undefined;
  }
}

/** Names of the things in the current state of each Capsule. */
export async function namesInStates(dataDir: string): Promise<Map<string, string[]>> {
  const vault = await openKeys(dataDir);
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
  try {
    const rows = ledger
      .prepare(
        `SELECT v.id, v.workspace_id AS workspaceId, v.capsule_id AS capsuleId, v.generation, v.state
         FROM capsules c JOIN state_versions v ON v.id = c.current_state_version_id`,
      )
      .all() as StateRow[];
    return new Map(rows.map((row) => [row.capsuleId, namesIn(row, vault) ?? []]));
  } finally {
    ledger.close();
  }
}

type World = {
  /** Names of created objects, one for each creation. */
  created: readonly string[];
  /** Names in the current state. */
  known: readonly string[];
  /** Reports whether the Runs of the Capsule reported that an object of this name may exist. */
  isReported: (name: string) => boolean;
};

/**
 * Nothing was created twice, the state holds no object that was never created, and objects missing from the state are
 * reported.
 */
export function findWorldFaults({ created, known, isReported }: World): string[] {
  const twice = created.filter((name, index) => created.indexOf(name) !== index);
  const invented = known.filter((name) => !created.includes(name));
  const lost = created.filter((name) => !known.includes(name) && !isReported(name));
  return [
    ...twice.map((name) => `${name} was made twice`),
    ...invented.map((name) => `the state knows ${name}, which was never made`),
    ...lost.map((name) => `${name} exists, and neither state nor Run knows of it`),
  ];
}
