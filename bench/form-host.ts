import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { formPackageKind } from '#shared/form-packages/package';
import { formCompatibilityPath } from '#shared/vendor';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { packageText, withDigests } from '../server/src/domains/form-packages/index.ts';
import { writeDurably } from '../server/src/kernel/disk.ts';
import { removeTree } from '../server/src/kernel/remove-tree.ts';
import { createApi } from './api.ts';
import { counted } from './ledger-sizes.ts';
import { type CaseResult, compare, timed } from './median.ts';

/** Requests per sample. */
const requests = 40;
const many = 1_000;
const few = 100;

const bucketPackage = withDigests({
  kind: formPackageKind,
  formRef: { apiVersion: 'bench.example/v1', kind: 'Bucket', definitionVersion: '1.0.0', schemaDigest: '' },
  packageDigest: '',
  desiredSchema: { type: 'object', properties: { size: { type: 'integer' } } },
  operations: ['preview', 'apply', 'read', 'delete'],
  executable: true,
  deprecated: false,
  activation: { spaces: ['*'] },
});

type Host = { server: TestServer; call: (method: string, path: string, body?: unknown) => Promise<unknown> };

async function startHost(entry: string): Promise<Host> {
  const server = await startServer({ entry });
  const forms = path.join(server.dataDir, 'forms');
  mkdirSync(forms, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(forms, 'bucket.json'), packageText(bucketPackage));
  await server.restart({ GROUNDCTL_FORM_HOST: '1' });
  return {
    server,
    async call(method, address, body) {
      const response = await fetch(`${server.url}${formCompatibilityPath}/resources${address}`, {
        method,
        headers: { authorization: `Bearer ${server.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} was refused with ${response.status}: ${text.slice(0, 500)}`);
      return JSON.parse(text);
    },
  };
}

const applyOf =
  ({ call }: Host, space: string) =>
  (size: number): Promise<unknown> =>
    call('PUT', `/Bucket/one?space=${space}`, { kind: 'Bucket', metadata: { name: 'one' }, spec: { size } });

/** An apply against the least that is durable: one transaction of a bare ledger, and one file. */
async function compareApply(samples: number, apply: (size: number) => Promise<unknown>): Promise<CaseResult> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'groundctl-bench-'));
  const bare = new Database(path.join(dir, 'bare.db'));
  try {
    bare.pragma('journal_mode = WAL');
    bare.pragma('synchronous = FULL');
    bare.exec('CREATE TABLE writes (text TEXT NOT NULL)');
    const insert = bare.prepare('INSERT INTO writes (text) VALUES (?)');
    const text = 'x'.repeat(400);
    const times: { apply: number[]; bare: number[] } = { apply: [], bare: [] };
    for (let index = 0; index < samples * requests; index += 1) {
      times.apply.push((await timed(() => apply(index))).ms);
      const write = async () => {
        insert.run(text);
        writeDurably(path.join(dir, 'native.json'), text);
      };
      times.bare.push((await timed(write)).ms);
    }
    return compare('form host: apply', times.apply, times.bare);
  } finally {
    bare.close();
    removeTree(dir);
  }
}

/** Copies of the first Resource in a Workspace. They have no native objects, which a list does not read. */
const insertResources = (workspaceId: string, count: number): string => `${counted(count)}
  INSERT INTO form_resources
    (id, workspace_id, kind, name, form, generation, spec, outputs, native_id, imported, ready, drifted_fields,
     observed_at, created_by, created_at, updated_at)
  SELECT printf('res_%s_%026d', '${workspaceId}', i), '${workspaceId}', kind, 'bucket-' || i, form, generation, spec,
    outputs, '${workspaceId}-' || i, imported, ready, drifted_fields, observed_at, created_by, created_at, updated_at
  FROM n, (SELECT * FROM form_resources ORDER BY seq LIMIT 1)`;

/** A page of a hundred among many Resources against the same page among few. */
async function comparePages(samples: number, { server, call }: Host, long: string): Promise<CaseResult> {
  const created = await createApi(server).post<{ workspace: { id: string } }>('/workspaces', {
    displayName: 'Few',
    handle: 'few',
  });
  const short = created.workspace.id;
  const ledger = new Database(path.join(server.dataDir, 'ledger.db'));
  ledger.transaction(() => {
    ledger.exec(insertResources(long, many));
    ledger.exec(insertResources(short, few));
  })();
  ledger.close();
  const page = (space: string) => () => call('GET', `?space=${space}&limit=${few}`);
  const times: { long: number[]; short: number[] } = { long: [], short: [] };
  for (let index = 0; index < samples * requests; index += 1) {
    times.long.push((await timed(page(long))).ms);
    times.short.push((await timed(page(short))).ms);
  }
  return compare('page: Resources', times.long, times.short);
}

/** The form host: an apply of a Resource, and a list of Resources. */
export async function formHost(samples: number, entry: string): Promise<CaseResult[]> {
  const host = await startHost(entry);
  try {
    const workspaceId = await createApi(host.server).workspaceId();
    const applied = await compareApply(samples, applyOf(host, workspaceId));
    return [applied, await comparePages(samples, host, workspaceId)];
  } finally {
    await host.server.stop();
  }
}
