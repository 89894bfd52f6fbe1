import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Run } from '#shared/runs/contract';
import { addGeneration, seedApplied } from '../../../test/backup-fixture.ts';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const run = (...args: string[]) => groundctl('backup', ...args, '--data-dir', server.dataDir);
const decide = (verb: string, runId: string, ...more: string[]) =>
  groundctl('runs', verb, runId, ...more, '--data-dir', server.dataDir);
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).out);

it('backs up, lists, downloads and restores', async () => {
  expect((await run('list')).out).toContain('groundctl backup create');
  const capsule = await seedApplied(server, { generations: [{ a: 1, gone: 1 }] });
  const { backup } = await json('create', '--capsule', capsule.id);
  expect(backup).toMatchObject({ capsuleId: capsule.id });
  expect((await json('create')).backup).not.toHaveProperty('capsuleId');
  expect((await run('list')).out).toMatch(new RegExp(`${backup.id}.*${capsule.id}`));

  const file = path.join(server.dataDir, 'copy.age');
  expect(await run('download', backup.id, file)).toMatchObject({ code: 0 });
  expect(fs.readFileSync(file)).toEqual(fs.readFileSync(path.join(server.dataDir, 'backups', `${backup.id}.age`)));
  expect(await run('download', backup.id, file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('exists already'),
  });

  await addGeneration(server, capsule, { generation: 2, resources: { a: 2 } });
  const waits = await run('restore', backup.id);
  expect(waits.code).toBe(3);
  expect(waits.out).toMatch(/generation 1 replaces generation 2 and becomes generation 3/);
  expect(waits.out).toMatch(/\+ test_thing\.gone\n\s+~ test_thing\.a/);
  const [, runId = ''] = /groundctl runs approve (restore_\w+)/.exec(waits.out) ?? [];
  expect((await decide('approve', runId)).code).toBe(3);
  expect(await decide('cancel', runId)).toMatchObject({ code: 0, out: `${runId} is cancelled.\n` });
  for (const verb of ['approve', 'apply'])
    expect(await decide(verb, runId)).toMatchObject({ code: 1, err: expect.stringContaining('does not wait for') });

  const again = JSON.parse((await run('restore', backup.id, '--json')).out) as { run: Run };
  expect(await decide('apply', again.run.id)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`groundctl runs approve ${again.run.id}`),
  });
  const approved = await decide('approve', again.run.id, '--auto-approve');
  expect([approved.code, approved.out]).toEqual([0, expect.stringContaining('The states are restored.')]);
  expect((await server.api.getRun({ params: { runId: again.run.id } })).body.run.approval).toMatchObject({
    reason: 'groundctl runs approve --auto-approve',
  });
  const done = await run('restore', backup.id, '--capsule', capsule.id, '--at', '1', '--auto-approve');
  expect([done.code, done.out]).toEqual([0, expect.stringContaining('The states are restored.')]);
  const { capsule: now } = (await server.api.getCapsule({ params: { capsuleId: capsule.id } })).body;
  expect(now).toMatchObject({ status: 'stale', currentStateGeneration: 4 });
});

it('deletes a backup', async () => {
  const { backup } = await json('create');
  expect(await run('delete', backup.id)).toMatchObject({ code: 0, out: expect.stringContaining('is deleted') });
  expect((await run('list')).out).not.toContain(backup.id);
  expect((await run('delete', backup.id)).code).toBe(1);
});

it('says how to name a generation', async () => {
  const refused = await run('restore', 'bkp_none', '--at', '1');
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('--capsule')]);
});
