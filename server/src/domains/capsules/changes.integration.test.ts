import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswer, startTestServer, type TestServer, tempDirOnDisk } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedState } from '../../../test/ledger-rows.ts';
import type { CapsuleRow } from './store.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const patch = (id: string, body: unknown) => server.request('PATCH', `/api/v1/capsules/${id}`, body);
const reasonOf = ({ status, json }: RawAnswer) => [
  status,
  (json as { error?: { details?: { reason?: string } } }).error?.details?.reason,
];
const applied = async (more: Partial<CapsuleRow> = {}): Promise<string> => {
  const row = await seedCapsule(server, { status: 'active', runtimeSafety: 'safe', ...more });
  seedState(server, row, { generation: 1 });
  return row.id;
};
const listActivityOf = async (id: string) =>
  (await server.api.listActivity({ params: { workspaceId: server.workspaceId } })).body.events
    .filter(({ targetId }) => targetId === id)
    .map(({ action, metadata, actorId }) => [action, metadata, actorId === server.subject])
    .reverse();

test('the status of a Capsule is corrected by a person, and the history records the previous status', async () => {
  const id = await applied();
  for (const status of ['stale', 'error', 'active', 'active'])
    expect((await patch(id, { status })).json).toMatchObject({ capsule: { id, status } });
  expect(await listActivityOf(id)).toEqual([
    ['capsule.status_changed', { from: 'active', to: 'stale' }, true],
    ['capsule.status_changed', { from: 'stale', to: 'error' }, true],
    ['capsule.status_changed', { from: 'error', to: 'active' }, true],
  ]);
});

test('automatic updates are enabled and disabled, each recorded once', async () => {
  const id = await applied();
  for (const autoUpdate of [true, true, false, false])
    expect((await patch(id, { autoUpdate })).json).toMatchObject({ capsule: { id, autoUpdate } });
  expect(await listActivityOf(id)).toEqual([
    ['capsule.auto_update_enabled', {}, true],
    ['capsule.auto_update_disabled', {}, true],
  ]);
});

test('a note is left, replaced and removed, and the history does not repeat its text', async () => {
  const { id } = await seedCapsule(server);
  const text = 'Ask Ada\nbefore a change.\u202e';
  for (const note of [text, text, 'other'])
    expect((await patch(id, { note })).json).toMatchObject({ capsule: { note } });
  const { capsule } = (await server.api.getCapsule({ params: { capsuleId: id } })).body;
  expect(capsule.note).toBe('other');
  expect((await patch(id, { note: '' })).json).not.toHaveProperty('capsule.note');
  expect((await patch(id, { note: 'x'.repeat(2_001) })).status).toBe(400);
  expect(await listActivityOf(id)).toEqual([
    ['capsule.note_changed', {}, true],
    ['capsule.note_changed', {}, true],
    ['capsule.note_removed', {}, true],
  ]);
});

test.each<[string, Partial<CapsuleRow>, unknown, [number, string | undefined]]>([
  ['is empty', { status: 'active' }, {}, [400, 'empty_patch']],
  ['concerns a destroyed one', { status: 'destroyed' }, { autoUpdate: true }, [409, 'capsule_destroyed']],
  ['concerns a disabled one', { status: 'disabled' }, { status: 'active' }, [409, 'capsule_disabled']],
  [
    'activates a Capsule that was never applied',
    { status: 'error' },
    { status: 'active' },
    [409, 'capsule_never_applied'],
  ],
  ['corrects a Capsule that waits for its first apply', {}, { status: 'stale' }, [409, 'capsule_never_applied']],
  ['names another status', { status: 'active' }, { status: 'destroyed' }, [400, undefined]],
  ['names an unknown field', { status: 'active' }, { name: 'x' }, [400, undefined]],
])('a change that %s is refused', async (_, row, body, answer) => {
  expect(reasonOf(await patch((await seedCapsule(server, row)).id, body))).toEqual(answer);
});

test('a Capsule whose last apply has an unknown result cannot be set to active', async () => {
  const id = await applied({ status: 'error', runtimeSafety: 'unknown' });
  expect(reasonOf(await patch(id, { status: 'active' }))).toEqual([409, 'capsule_runtime_unsafe']);
  expect(reasonOf(await patch(id, { status: 'stale', autoUpdate: true }))).toEqual([200, undefined]);
});

describe('the folders that a Capsule may write to', () => {
  let out: string;
  beforeAll(() => {
    out = fs.realpathSync(tempDirOnDisk());
  });
  afterAll(() => fs.rmdirSync(out));

  test('are set, kept, shown and removed, and the history counts them', async () => {
    const id = await applied();
    expect((await patch(id, { writablePaths: [out] })).json).toMatchObject({ capsule: { writablePaths: [out] } });
    expect((await patch(id, { writablePaths: [out] })).status).toBe(200);
    const { capsule } = (await server.api.getCapsule({ params: { capsuleId: id } })).body;
    expect(capsule.writablePaths).toEqual([out]);
    expect((await patch(id, { writablePaths: [] })).json).not.toHaveProperty('capsule.writablePaths');
    expect(await listActivityOf(id)).toEqual([
      ['capsule.writable_paths_changed', { count: 1 }, true],
      ['capsule.writable_paths_changed', { count: 0 }, true],
    ]);
  });

  test('are refused by name, and cannot change while a plan waits', async () => {
    const row = await seedCapsule(server, { status: 'active', runtimeSafety: 'safe' });
    seedState(server, row, { generation: 1 });
    expect(reasonOf(await patch(row.id, { writablePaths: ['/etc'] }))).toEqual([400, 'writable_path_refused']);
    seedPlan(server, { ...row, currentStateGeneration: 1 });
    expect(reasonOf(await patch(row.id, { writablePaths: [out] }))).toEqual([409, 'run_in_progress']);
    expect(reasonOf(await patch(row.id, { writablePaths: [] }))).toEqual([200, undefined]);
  });
});
