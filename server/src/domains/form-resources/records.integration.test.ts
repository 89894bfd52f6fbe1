import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { FormResourceRecord, FormResourceStatusName } from '#shared/form-resources/contract';
import {
  callsOf,
  changing,
  creating,
  type FormHostFixture,
  nativeDirOf,
  resourceIn,
  startFormHost,
} from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';
import { addFormResource } from '../../../test/form-resource-records.ts';
import { asNeighbour } from '../../../test/one-of-each.ts';
import { createFormResourcesStore } from './store.ts';

let f: FormHostFixture;
beforeAll(async () => {
  f = await startFormHost();
  for (const name of ['equal', 'media', 'lost', 'own-files'])
    ids.set(name, resourceIn(await f.apply({ name })).status?.output.id ?? '');
  changeNative('media', { size: 9 });
  changeNative('lost', undefined);
  for (const name of ['media', 'lost']) expect((await f.look(name, 'observe', changing(1))).status).toBe(200);
  const neighbor = await asNeighbour(f.server);
  addFormResource(f.server, neighbor.workspaceId);
});
afterAll(() => f.server.close());

const ids = new Map<string, string>();

/** Replaces the state of the native object of a Resource without the form host; deletes the object without one. */
function changeNative(name: string, spec: object | undefined): void {
  const folder = nativeDirOf(f.dataDir);
  for (const file of fs.readdirSync(folder).map((one) => path.join(folder, one))) {
    const native = JSON.parse(fs.readFileSync(file, 'utf8')) as { owner?: { resourceId: string } };
    if (native.owner?.resourceId !== ids.get(name)) continue;
    if (spec) fs.writeFileSync(file, JSON.stringify({ ...native, spec }));
    else fs.unlinkSync(file);
  }
}

type Query = { q?: string; status?: FormResourceStatusName; limit?: string; cursor?: string };
const page = async (query: Query) =>
  (await f.server.api.listFormResourceRecords({ params: { workspaceId: f.server.workspaceId }, query })).body;
const names = async (query: Query) => (await page(query)).formResources.map(({ name }) => name);

describe('the list of the dashboard', () => {
  it('finds a text in name, kind and id, without its case, and only in its Workspace', async () => {
    expect(await names({ q: 'FILES' })).toEqual(['own-files']);
    expect(await names({ q: 'bucket' })).toEqual(['own-files', 'lost', 'media', 'equal']);
    expect(await names({ q: ids.get('media') ?? '' })).toEqual(['media']);
    expect(await names({ q: 'res_' })).toEqual([]);
    for (const q of ['nothing', '%', '_']) expect([q, await names({ q })]).toEqual([q, []]);
  });

  it('has each Resource under one status', async () => {
    expect(await names({ status: 'ready' })).toEqual(['own-files', 'equal']);
    expect(await names({ status: 'drifted' })).toEqual(['media']);
    expect(await names({ status: 'missing' })).toEqual(['lost']);
    expect(await names({ status: 'ready', q: 'equal' })).toEqual(['equal']);
    expect(await names({ status: 'missing', q: 'equal' })).toEqual([]);
  });

  it('refuses an empty text and a status that is no filter', async () => {
    for (const query of [{ q: '' }, { status: 'uninstalled' }] as Query[])
      await expect(page(query)).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('is paged within its filter, and accepts a cursor only there', async () => {
    const first = await page({ status: 'ready', limit: '1' });
    expect(first.formResources.map(({ name }) => name)).toEqual(['own-files']);
    const cursor = first.nextCursor ?? '';
    const last = await page({ status: 'ready', limit: '1', cursor });
    expect([last.formResources.map(({ name }) => name), last.nextCursor]).toEqual([['equal'], undefined]);
    for (const other of [{}, { status: 'missing' }, { status: 'ready', q: 'e' }, { q: 'ready' }] as Query[])
      await expect(page({ ...other, cursor })).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('reads only the rows of its Workspace, in their order', () => {
    const plan = f.server.ledger((db) => {
      const prepare = vi.spyOn(db.sqlite, 'prepare');
      const filter = { q: 'files', status: 'drifted' } as const;
      createFormResourcesStore(db).listBefore(f.server.workspaceId, filter, { before: 9, limit: 9 });
      const [text = ''] = prepare.mock.lastCall ?? [];
      prepare.mockRestore();
      const values = [...text.matchAll(/\?/g)].map(() => null);
      return db.sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`).all(values) as { detail: string }[];
    });
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH form_resources USING INDEX form_resources_workspace (workspace_id=? AND seq<?)',
    ]);
  });
});

describe('the account of the last change', () => {
  const recordOf = async (name: string): Promise<FormResourceRecord | undefined> =>
    (await page({ q: name })).formResources.find((one) => one.name === name);

  it('is that of the apply or the import which made the version, and not of one that compares it', async () => {
    const { subject } = f.server;
    const { workspaceId } = f.server;
    const second = await f.server.join('admin');
    const other = callsOf(f.server, identityOf(formPackage()), () => second.token);
    expect(await recordOf('equal')).toMatchObject({ createdBy: subject, updatedBy: subject, resourceVersion: '1' });
    expect((await other.look('equal', 'observe', changing(1))).status).toBe(200);
    expect((await other.look('equal', 'refresh', changing(1))).status).toBe(200);
    expect(await recordOf('equal')).toMatchObject({ updatedBy: subject });
    expect((await other.apply({ name: 'equal' }, changing(1))).status).toBe(200);
    const applied = { createdBy: subject, updatedBy: second.subject, resourceVersion: '2' };
    expect(await recordOf('equal')).toMatchObject(applied);
    const params = { formResourceId: ids.get('equal') ?? '' };
    expect((await f.server.api.getFormResourceRecord({ params })).body.formResource).toMatchObject(applied);

    fs.writeFileSync(path.join(nativeDirOf(f.dataDir), 'found.json'), JSON.stringify({ spec: { size: 1 } }));
    const imported = await other.import('found', { name: 'adopted', space: workspaceId }, creating());
    expect(imported.status).toBe(200);
    expect(await recordOf('adopted')).toMatchObject({ createdBy: second.subject, updatedBy: second.subject });
  });

  it('is absent where the ledger does not tell', async () => {
    f.server.ledger((db) => db.sqlite.prepare("UPDATE form_resources SET updated_by = NULL WHERE name = 'lost'").run());
    expect(await recordOf('lost')).not.toHaveProperty('updatedBy');
  });
});
