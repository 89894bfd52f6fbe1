import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FormHostFixture, nativeDirOf, resourceIn, startFormHost } from '../../../test/form-host.ts';

let f: FormHostFixture;
let leaving: string;
beforeAll(async () => {
  f = await startFormHost();
  leaving = (await f.server.api.createWorkspace({ body: { handle: 'leaving' } })).body.workspace.id;
});
afterAll(() => f.server.close());

const dir = () => nativeDirOf(f.dataDir);
const filesNow = () => fs.readdirSync(dir()).sort();
const put = (id: string, content: object | string) =>
  fs.writeFileSync(
    path.join(dir(), `${id}.json`),
    typeof content === 'string' ? content : JSON.stringify({ kind: 'svc.form-native@v1', ...content }),
  );
const ownerOf = (workspaceId: string) => ({
  workspaceId,
  resourceId: 'res_none',
  generation: 1,
  operation: 'sha256:1',
});
const nativeIdOf = (name: string) =>
  f.server.ledger(({ sqlite }) =>
    sqlite.prepare('SELECT native_id FROM form_resources WHERE name = ?').pluck().get(name),
  ) as string;
const statusNow = async () =>
  (await f.server.api.getWorkspaceDeletion({ params: { deletedWorkspaceId: leaving } })).body.deletion.status;
const finished = async () => {
  while ((await statusNow()) !== 'deleted');
};

test('the native objects of a deleted Workspace are removed, and all others stay', async () => {
  const stays = resourceIn(await f.apply({ name: 'stays' }));
  await f.apply({ name: 'claimed' });
  await f.apply({ name: 'created', space: leaving });
  await f.apply({ name: 'damaged', space: leaving });
  put('given', { spec: { size: 3 } });
  expect((await f.import('given', { name: 'imported', space: leaving })).status).toBe(200);
  put(nativeIdOf('damaged'), '{');
  put('interrupted', { spec: {}, owner: ownerOf(leaving) });
  put('free', { spec: {} });
  put('of-another', { spec: {}, owner: ownerOf('ws_other') });
  put(nativeIdOf('claimed'), { spec: { size: 1 }, owner: ownerOf(leaving) });
  const { preview } = (await f.server.api.previewWorkspaceDeletion({ params: { workspaceId: leaving } })).body;
  expect(preview.deletes.formResources).toBe(3);

  await f.server.api.deleteWorkspace({ body: { workspaceId: leaving, confirmHandle: 'leaving' } });
  await finished();
  const left = [nativeIdOf('stays'), nativeIdOf('claimed'), 'free', 'of-another'].map((id) => `${id}.json`).sort();
  expect(filesNow()).toEqual(left);
  expect(resourceIn(await f.read('stays'))).toEqual(stays);
  expect((await f.apply({ name: 'again', space: leaving })).status).toBe(403);
  expect(filesNow()).toEqual(left);
});

test('a start removes what the last process left of them', async () => {
  put('left-over', { spec: {}, owner: ownerOf(leaving) });
  f.server.ledger(({ sqlite }) =>
    sqlite.prepare('UPDATE workspace_deletions SET completed_at = NULL WHERE workspace_id = ?').run(leaving),
  );
  await f.server.restart();
  await finished();
  expect(filesNow()).not.toContain('left-over.json');
});
