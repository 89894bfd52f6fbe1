import { createInterfaces } from '../src/domains/interfaces/index.ts';
import { openDb } from '../src/kernel/db.ts';
import { createLog } from '../src/kernel/log.ts';
import { openGate } from '../src/kernel/work-gate.ts';
import { launcherBlueprint } from './interface-blueprints.ts';

/*
 * A process that makes the Interfaces of an apply on a ledger of its own, and that a failpoint ends by SIGKILL.
 * Arguments: folder, and `apply`, `fail` (until the intent is a failure), `retry` or `sweep`.
 */
const [dir = '', action = ''] = process.argv.slice(2);
const workspaceId = 'ws_1';
const db = openDb(dir, (error) => {
  throw error;
});
// Capsule, Workspace and Run are no rows here.
db.sqlite.pragma('foreign_keys = OFF');
db.sqlite.exec('CREATE TABLE IF NOT EXISTS recorded (action TEXT NOT NULL)');
const record = ({ action }: { action: string }) =>
  void db.sqlite.prepare('INSERT INTO recorded (action) VALUES (?)').run(action);
const capsule = {
  ...{ id: 'cap_1', workspaceId, status: 'active' },
  ...{ currentStateVersionId: 'state_1', currentStateGeneration: 1 },
};
const outputs = {
  ...{ runId: 'apply_1', stateVersionId: 'state_1', outputId: 'out_1', outputDigest: `sha256:${'0'.repeat(64)}` },
  ...{ partial: false, values: { url: 'https://notes.example.com/' } },
};
let now = Date.parse('2030-01-01T00:00:00.000Z');
const passHour = () => {
  now += 3_600_000;
};
const { recordApply, materialization, failures, records } = createInterfaces({
  db,
  clock: { now: () => now },
  log: createLog('silent'),
  workGate: openGate,
  cursors: {},
  outbox: { push: () => {} },
  activity: { record },
  workspaces: { isLive: () => true, findWorkspaceId: (id: string) => id, findRoles: () => ['owner'] },
  capsules: { findWorkspace: () => workspaceId, getRow: () => capsule },
  states: { findPublicOutputs: () => outputs },
  formResources: { find: () => undefined },
  isDestroyQueued: () => false,
  hasIssuer: () => false,
  isManagedHostname: () => false,
} as unknown as Parameters<typeof createInterfaces>[0]);

const blueprints = ['one', 'two', 'three'].map((key) => launcherBlueprint({ key, name: key }));
const origin = { workspaceId, capsuleId: capsule.id, runId: 'apply_1', principalId: 'sub_1' };
const state = { stateVersionId: 'state_1', outputId: 'out_1', stateGeneration: 1 };
const hasIntent = () => db.sqlite.prepare('SELECT count(*) FROM materialization_intents').pluck().get() !== 0;
/** The end of an apply that was not committed is taken again. */
const apply = () => {
  if (!hasIntent()) db.write(() => recordApply({ ...origin, ...state, blueprints }));
};

if (action === 'apply') apply();
if (action === 'fail') {
  const ownerRef = { kind: 'Workspace' as const, id: workspaceId };
  const { spec } = launcherBlueprint();
  const taken = {
    workspaceId,
    name: 'two',
    ownerRef,
    spec: { ...spec, inputs: {}, access: { visibility: 'workspace' as const } },
  };
  const { record: other } = records.create(taken as Parameters<typeof records.create>[0], 'sub_1');
  apply();
  for (let times = 0; times < 5; times += 1) {
    materialization.start();
    passHour();
  }
  records.remove(other.id, { actorId: 'sub_1', ifMatch: '*' });
  db.sqlite.exec('DELETE FROM recorded');
}
if (action === 'retry') {
  const [failure] = failures.list(workspaceId, 1);
  if (failure) {
    const { id, failureDigest, stateVersionId, stateGeneration } = failure;
    failures.retry(workspaceId, id, {
      input: { failureDigest, stateVersionId, stateGeneration } as Parameters<typeof failures.retry>[2]['input'],
      actorId: 'sub_1',
    });
  }
}
passHour();
materialization.start();
await materialization.stop();
db.close();
