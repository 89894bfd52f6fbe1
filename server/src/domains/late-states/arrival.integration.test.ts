import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { OwnerNotice } from '#shared/dashboard/owner-work';
import { playActions } from '../../../test/action-player.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { buildOwnerWatch } from '../../compose/owner-watch.ts';
import { encryptionNames, sealState } from '../../drivers/tofu/index.ts';
import { createLog } from '../../kernel/log.ts';
import { factsFile } from '../../runner/contract/facts-file.ts';
import type { RaisedEvent } from '../webhooks/index.ts';

const clock = heldClock();
const key = Buffer.alloc(32, 7).toString('base64');
const env = { GROUNDCTL_SMTP_URL: 'smtp://127.0.0.1:9', GROUNDCTL_SMTP_FROM: 'ground@example.com' };
let fixture: ScheduleFixture;
let runId = '';
beforeEach(async () => {
  fixture = await openScheduleFixture(clock, { env });
  fixture.db.sqlite.prepare('UPDATE accounts SET email = ?').run('owner@example.com');
  const play = playActions(fixture);
  const plan = await play.planned(fixture.makeCapsule().id);
  runId = await play.apply(plan.id);
  const caller = { principal: { kind: 'session', subject: 'sub_member' }, roles: ['admin'] };
  fixture.db.write(() => fixture.domains.cancel(runId, caller as never, { interrupt: true }));
  await play.endTool(runId, false);
});
afterEach(() => fixture.close());

/** Takes a state from files as its machine brings them. */
function bringState(serial: number): boolean {
  const dir = path.join(fixture.dataDir, `late-${serial}`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(factsFile(dir), JSON.stringify({ lineage: 'own', serial: 3, digest: '', content: '' }));
  const state = { version: 4, terraform_version: '1.12.6', serial, lineage: 'own', outputs: {}, resources: [] };
  const sealed = sealState(JSON.stringify(state), key, encryptionNames(key));
  writeFileSync(path.join(dir, `state-00000${serial}-0011aabb.tfstate`), sealed);
  return fixture.domains.lateStates.take({ runId, machineId: 'rnr_1', dir });
}

const waitingMails = () =>
  fixture.db.sqlite.prepare('SELECT kind, account_id AS accountId, run_id AS runId FROM waiting_mails').all();
const lateState = (phase?: 'waiting') => {
  const { capsuleId = '' } = fixture.domains.runs.getRun(runId);
  const query = { runId, ...(phase && { phase: [phase] }) };
  const [found] = fixture.domains.lateStates.listLateStates(capsuleId, query).lateStates;
  if (!found) throw new Error('No late state was stored.');
  return found;
};

it('reports a late state to those who decide and to the person who ended its apply, once, in every channel', () => {
  const { db, domains, owner, workspaceId } = fixture;
  const raised: RaisedEvent[] = [];
  const notices: OwnerNotice[] = [];
  domains.events.listen((event) => raised.push(event));
  const watch = buildOwnerWatch(
    { db, clock, log: createLog('silent'), vault: { sealedBy: undefined } as never },
    domains,
  );
  watch.onNotice((notice) => notices.push(notice));
  expect([bringState(4), bringState(4)]).toEqual([true, true]);
  expect(raised).toEqual([
    expect.objectContaining({ event: 'late_state.arrived', workspaceId, run: expect.objectContaining({ id: runId }) }),
  ]);
  expect(waitingMails()).toEqual([{ kind: 'late_state.arrived', accountId: owner, runId }]);
  expect(notices).toMatchObject([{ event: 'late_state.arrived', runId }]);
  expect(domains.notifications.listConcerned(domains.runs.getRecord(runId))).toEqual([owner, 'sub_member']);
  const changes = db.sqlite.prepare("SELECT record_id FROM outbox WHERE kind = 'late_state'").pluck().all();
  expect(changes).toEqual([runId]);
  expect(lateState()).toMatchObject({ phase: 'waiting', endedBy: 'sub_member' });
  watch.stop();
});

it('opens the current state once, however many late states are compared with it', () => {
  bringState(4);
  bringState(5);
  const { lateStates, runs, states } = fixture.domains;
  const openCurrent = vi.spyOn(states, 'openCurrent');
  const listed = lateStates.listLateStates(runs.getRun(runId).capsuleId ?? '', {}).lateStates;
  expect(listed.map(({ differences }) => differences)).toEqual([expect.any(Object), expect.any(Object)]);
  expect(openCurrent).toHaveBeenCalledOnce();
});

it('sends no mail about late states when the last of them was decided before the mail was sent', () => {
  bringState(4);
  bringState(5);
  const mail = { kind: 'late_state.arrived', accountId: fixture.owner, runId };
  fixture.domains.lateStates.dismiss(lateState('waiting').id, fixture.owner);
  expect(waitingMails()).toEqual([mail, mail]);
  fixture.domains.lateStates.dismiss(lateState('waiting').id, fixture.owner);
  expect(waitingMails()).toEqual([]);
});

it('sends the mail about a late state whose restore may still be cancelled, but not after it was adopted', async () => {
  bringState(4);
  const { cancel, restores, lateStates } = fixture.domains;
  const actorId = fixture.owner;
  const adopt = (): string => {
    const { id, currentGeneration } = lateState('waiting');
    return lateStates.adopt(id, { actorId, body: { expectedGeneration: currentGeneration } }).run.id;
  };
  cancel(adopt(), { principal: { kind: 'operator' } } as never, {});
  expect([lateState().phase, waitingMails().length]).toEqual(['waiting', 1]);
  restores.approve(adopt(), { actorId });
  await fixture.settle();
  expect([lateState().phase, waitingMails().length]).toEqual(['adopted', 0]);
});
