import fs from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { at, put, said, serveGroup, server, sql } from '../../../test/doctor-fixture.ts';
import { callsOf, writePackages } from '../../../test/form-host.ts';
import { formPackage, identityOf } from '../../../test/form-package.ts';

serveGroup({ env: { GROUNDCTL_FORM_HOST: '1' } });

const form = formPackage();
let names: Record<string, string>;
beforeAll(async () => {
  writePackages(server.dataDir, [form]);
  await server.restart();
  const { apply } = callsOf(server, identityOf(form));
  const resources = ['whole', 'gone', 'damaged', 'swapped', 'older'];
  for (const name of resources) expect((await apply({ name })).status).toBe(200);
  names = Object.fromEntries(
    resources.map((name) => {
      const [nativeId, id] = server.ledger(({ sqlite }) =>
        sqlite.prepare('SELECT native_id, id FROM form_resources WHERE name = ?').raw().get(name),
      ) as [string, string];
      return [name, `${nativeId} ${id}`];
    }),
  );
});
const idOf = (name: string) => names[name]?.split(' ')[1] ?? '';
const nativeIdOf = (name: string) => names[name]?.split(' ')[0] ?? '';
const fileOf = (nativeId: string) => `forms/native/${nativeId}.json`;
const ownerOf = (resourceId: string, generation = 1) => ({
  owner: { workspaceId: server.workspaceId, resourceId, generation, operation: 'sha256:1' },
});
const native = (nativeId: string, content: object | string) =>
  put(fileOf(nativeId), typeof content === 'string' ? content : JSON.stringify({ spec: {}, ...content }));
/** Calls with other content in some files, and restores them. */
async function withFiles(work: () => Promise<void>): Promise<void> {
  const saved = fs.mkdtempSync(`${server.dataDir}-forms-`);
  fs.cpSync(at('forms'), saved, { recursive: true });
  try {
    await work();
  } finally {
    fs.rmSync(at('forms'), { recursive: true });
    fs.cpSync(saved, at('forms'), { recursive: true });
    fs.rmSync(saved, { recursive: true });
  }
}

describe('Resources and their native objects', () => {
  test('have no findings when they agree', async () => {
    expect(await said()).toEqual([]);
  });

  test('are reported when an object is missing, unreadable, of another owner or of another version', () =>
    withFiles(async () => {
      fs.rmSync(at(fileOf(nativeIdOf('gone'))));
      native(nativeIdOf('damaged'), '{');
      native(nativeIdOf('swapped'), ownerOf(idOf('whole')));
      native(nativeIdOf('older'), ownerOf(idOf('older'), 2));
      expect(await said()).toEqual(
        ['gone', 'damaged', 'swapped', 'older'].map((name) => ['form-resources', 'problem', idOf(name)]),
      );
    }));

  test('leave objects without a Resource, of which those without an owner may be imported', () =>
    withFiles(async () => {
      native('free', {});
      expect(await said()).toEqual([]);
      const orphan = native('lost', ownerOf('res_none'));
      const damaged = native('odd', '[]');
      expect((await said()).sort()).toEqual(
        [
          ['form-resources', 'problem', orphan],
          ['form-resources', 'note', damaged],
        ].sort(),
      );
    }));

  test('are not reported while an operation or a deletion explains the difference', () =>
    withFiles(async () => {
      native('started', ownerOf('res_started'));
      sql(
        `INSERT INTO form_operations (workspace_id, principal, "key", identity, operation, kind, name, resource_id, native_id,
           form, base, created_at) VALUES (?, 'acc', 'key', 'sha256:1', 'apply', 'Bucket', 'new', 'res_started', 'started', '{}', 0, 1)`,
        server.workspaceId,
      );
      native('leaving', { owner: { ...ownerOf('res_gone').owner, workspaceId: 'ws_leaving' } });
      sql(
        `INSERT INTO workspace_deletions (workspace_id, handle, display_name, deleted_by, deleted_at, left_capsules)
         VALUES ('ws_leaving', 'x', 'X', 'acc', 1, '[]')`,
      );
      expect(await said()).toEqual([]);
      sql('DELETE FROM form_operations WHERE completed_at IS NULL');
      sql('UPDATE workspace_deletions SET completed_at = 2');
      expect((await said()).map(([, , subject]) => subject)).toEqual([at(fileOf('leaving')), at(fileOf('started'))]);
    }));

  test('have temporary files that an interrupted write left', () =>
    withFiles(async () => {
      const left = [put('forms/one.json.tmp'), put('forms/native/two.json.tmp')];
      expect(await said()).toEqual(left.map((subject) => ['form-resources', 'note', subject]));
    }));
});

describe('packages', () => {
  test('are reported with the reason when they are not installed, and when Resources need one', () =>
    withFiles(async () => {
      const invalid = put('forms/invalid.json', '{}');
      expect(await said()).toEqual([['forms', 'problem', invalid]]);
      fs.rmSync(invalid);
      fs.renameSync(at('forms/package-0.json'), at('package-0.json'));
      expect(await said()).toEqual([['forms', 'problem', 'Bucket 1.0.0']]);
      fs.rmSync(at('package-0.json'));
    }));
});
