import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { formHostPath } from '#shared/vendor';
import { bucketForm, type FormHostProcess, type FormRequest, openFormHost, space } from './form-host-process.ts';
import { identityOf } from './form-package.ts';

const form = identityOf(bucketForm);
const { apiVersion, kind } = form.formRef;
const query = new URLSearchParams({ space, ...form.formRef, packageDigest: form.packageDigest });
const at = `${formHostPath}/resources/${kind}/one`;
export const nativeId = 'free.one';

const isNew = { 'if-none-match': '*' };
const isFirst = { 'if-match': '"1"' };
type Precondition = typeof isNew | typeof isFirst;
type Variant = { key?: string; size?: number };

const desired = (size: number, precondition: Precondition) => ({
  body: { apiVersion, kind, form, metadata: { name: 'one', space }, spec: { size, endpoint: 'https://a.example/' } },
  headers: precondition as Record<string, string>,
});

/** Returns an apply of a desired state that was previewed at this precondition, whatever the state of the ledger is now. */
async function apply(review: FormHostProcess, { key = 'key-first', size = 2 }: Variant, precondition: Precondition) {
  const { body, headers } = desired(size, precondition);
  const { json } = await review.send({ method: 'POST', url: `${formHostPath}/resources/preview`, headers, body });
  const { planDigest } = json.review as { planDigest: string };
  return {
    method: 'PUT' as const,
    url: at,
    headers: { ...headers, 'idempotency-key': key },
    body: { ...body, review: { planDigest } },
  };
}

async function importing(_: FormHostProcess, { key = 'key-first', size = 2 }: Variant): Promise<FormRequest> {
  const { body, headers } = desired(size, isNew);
  return {
    method: 'POST',
    url: `${at}/import`,
    headers: { ...headers, 'idempotency-key': key },
    body: { ...body, nativeId },
  };
}

const bare = (method: 'POST' | 'DELETE', action: string, key = 'key-first'): FormRequest => ({
  method,
  url: `${at}${action}?${query}`,
  headers: { ...isFirst, 'idempotency-key': key },
});

export type OperationCase = {
  name: string;
  /** State before the operation: none, a free native object, or a Resource at version 1. */
  before: 'nothing' | 'native' | 'resource';
  action: string;
  /** The operation; with another key or size, another operation under the same precondition. */
  request: (review: FormHostProcess, variant: Variant) => Promise<FormRequest>;
  /** Version of the Resource afterwards, 0 when it is gone. */
  after: number;
};

export const operationCases: readonly OperationCase[] = [
  {
    ...{ name: 'create', before: 'nothing', action: 'apply', after: 1 },
    request: (review, variant) => apply(review, variant, isNew),
  },
  {
    ...{ name: 'update', before: 'resource', action: 'apply', after: 2 },
    request: (review, variant) => apply(review, variant, isFirst),
  },
  { ...{ name: 'import', before: 'native', action: 'import', after: 1 }, request: importing },
  {
    ...{ name: 'refresh', before: 'resource', action: 'refresh', after: 1 },
    request: async (_, { key }) => bare('POST', '/refresh', key),
  },
  {
    ...{ name: 'delete', before: 'resource', action: 'delete', after: 0 },
    // Another operation with the same key is an update.
    request: (review, variant) =>
      variant.size === undefined ? Promise.resolve(bare('DELETE', '', variant.key)) : apply(review, variant, isFirst),
  },
];

const nativeDir = (dir: string): string => path.join(dir, 'forms', 'native');

/** Brings an empty folder to the state before an operation. */
export async function prepareFolder(dir: string, before: OperationCase['before']): Promise<void> {
  const host = openFormHost(dir);
  if (before === 'native') {
    fs.mkdirSync(nativeDir(dir), { recursive: true });
    fs.writeFileSync(
      path.join(nativeDir(dir), `${nativeId}.json`),
      '{"spec":{"size":2,"endpoint":"https://a.example/"}}',
    );
  }
  if (before === 'resource') {
    const { status } = await host.send(await apply(host, { key: 'key-before', size: 1 }, isNew));
    if (status !== 200) throw new Error(`The Resource was not created: ${status}`);
  }
  await host.close();
}

type Row = Record<string, unknown>;

/**
 * Requires that ledger and native objects agree: no operation is started, each Resource has its native object and there
 * is no other file, its Interface is live, and the audit trail is whole.
 */
export function expectSound(dir: string, { db, findBreak }: Pick<FormHostProcess, 'db' | 'findBreak'>): void {
  const all = (text: string) => db.sqlite.prepare(text).all() as Row[];
  expect(all('SELECT * FROM form_operations WHERE completed_at IS NULL')).toEqual([]);
  const resources = all('SELECT * FROM form_resources ORDER BY native_id');
  const files = fs.existsSync(nativeDir(dir)) ? fs.readdirSync(nativeDir(dir)).sort() : [];
  const owned = files.map((file): Row => ({ file, ...readJson(path.join(nativeDir(dir), file)) }));
  expect(owned.filter(({ owner, file }) => owner || !String(file).startsWith('free.'))).toEqual(
    resources.map((row) => ({
      file: `${row['native_id']}.json`,
      kind: 'svc.form-native@v1',
      spec: JSON.parse(String(row['outputs'])),
      owner: {
        workspaceId: row['workspace_id'],
        resourceId: row['id'],
        generation: row['generation'],
        operation: expect.stringMatching(/^sha256:/),
      },
    })),
  );
  const live = all("SELECT owner_id FROM interfaces WHERE owner_kind = 'Resource' AND phase <> 'Retired' ORDER BY 1");
  expect(live.map((row) => row['owner_id'])).toEqual(resources.map(({ id }) => id).sort());
  if (all('SELECT * FROM audit_events').length > 0) expect(findBreak()).toBeUndefined();
}

const readJson = (file: string): Row => JSON.parse(fs.readFileSync(file, 'utf8')) as Row;

/** Returns the version of the Resource, 0 without one, and the recorded events of Resources. */
export function effectOf({ db }: Pick<FormHostProcess, 'db'>) {
  const actions = db.sqlite.prepare("SELECT action FROM audit_events WHERE action LIKE 'resource.%' ORDER BY seq");
  return {
    version: db.sqlite.prepare('SELECT generation FROM form_resources').pluck().get() ?? 0,
    events: (actions.pluck().all() as string[]).map((action) => action.split('.')[1]),
  };
}
