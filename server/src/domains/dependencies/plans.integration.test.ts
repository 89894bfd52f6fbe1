import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OutputAllowlist } from '#shared/install-configs/contract';
import type { Run } from '#shared/runs/contract';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

let fixture: ScheduleFixture;
beforeEach(async () => {
  fixture = await openScheduleFixture(heldClock());
});
afterEach(() => fixture.close());

type Outputs = Record<string, { value: unknown; type?: unknown; sensitive?: true }>;
const plain = (value: unknown) => ({ value, type: 'string' });
const sensitive = (value: unknown) => ({ value, type: 'string', sensitive: true as const });
const plan = (capsuleId: string): Run =>
  fixture.domains.plans.createPlan(capsuleId, { actorId: fixture.owner, tool: scheduleTool });
const specOf = (run: { id: string }) => {
  const scripted = fixture.runner.startedRuns.get(run.id);
  if (!scripted) throw new Error('the Run was not started');
  return scripted.spec;
};
const statusOf = (id: string) => fixture.domains.capsules.getRow(id).status;

/** Creates a plan and completes it, so that a person can review it. */
async function planned(capsuleId: string): Promise<Run> {
  const run = plan(capsuleId);
  await fixture.settle();
  fixture.runner.end(run.id, planOutcome(specOf(run)));
  await fixture.settle();
  return fixture.domains.runs.getRun(run.id);
}

async function applyPlan(run: Run, outputs: Outputs = {}, succeeded = true) {
  const { run: apply } = fixture.domains.applies.apply(run.id, { actorId: fixture.owner, tool: scheduleTool });
  await fixture.settle();
  const identity = { pid: 2, startTime: '', bootId: '' };
  fixture.runner.say(apply.id, { t: 'spawned', at: 0, command: 'apply', identity });
  fixture.runner.end(apply.id, applyOutcome(specOf(apply), succeeded, outputs));
  await fixture.settle();
  return fixture.domains.runs.getRun(apply.id);
}

const applied = async (capsuleId: string, outputs: Outputs = {}) => applyPlan(await planned(capsuleId), outputs);

type Mapped = { from: string; to: string; required?: boolean; type?: 'number' | 'url' };
const link = (producer: string, consumer: string, mapped: Mapped[], mode?: 'remote_state' | 'published_output') =>
  fixture.domains.dependencies.create(
    consumer,
    {
      producerCapsuleId: producer,
      mode,
      outputs: Object.fromEntries(mapped.map((one) => [one.to, { required: true, ...one }])),
    },
    fixture.owner,
  );

async function pair(outputs: Outputs): Promise<{ producer: string; consumer: string }> {
  const producer = fixture.makeCapsule().id;
  const consumer = fixture.makeCapsule().id;
  await applied(producer, outputs);
  return { producer, consumer };
}

const staleEvents = () =>
  fixture.domains.activity
    .list(fixture.workspaceId, {})
    .events.filter(({ action }) => action === 'capsule.stale')
    .map(({ targetId, metadata }) => ({ targetId, ...metadata }));
const missing = (pattern: RegExp) =>
  expect.objectContaining({
    code: 'failed_precondition',
    details: expect.objectContaining({ reason: 'dependency_output_missing' }),
    message: expect.stringMatching(pattern),
  });
function refusal(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe('a plan', () => {
  test('receives the Outputs of other Capsules over the values of its own configuration, and its apply the same', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    const run = await planned(consumer);
    expect(run.dependencySnapshotId).toMatch(/^depsnap_[0-9A-Z]{26}$/);
    expect(specOf(run).variables).toEqual({ title: 'http://one' });
    expect(specOf(run).secrets).toEqual([]);
    // The producer changes, and the plan is applied as it was reviewed.
    await applied(producer, { url: plain('http://two') });
    const apply = await applyPlan(run);
    expect(specOf(apply).variables).toEqual({ title: 'http://one' });
    expect(apply).toMatchObject({ dependencySnapshotId: run.dependencySnapshotId, status: 'succeeded' });
    expect(run.applyExpected?.variablesDigest).not.toBe((await planned(producer)).applyExpected?.variablesDigest);
  });

  test('keeps a sensitive Output secret, sealed and redacted', async () => {
    const secret = 'correct horse battery staple';
    const { producer, consumer } = await pair({ password: sensitive(secret), port: plain(8080) });
    link(producer, consumer, [
      { from: 'password', to: 'title' },
      { from: 'port', to: 'port', type: 'number' },
    ]);
    const run = await planned(consumer);
    expect(specOf(run)).toMatchObject({ variables: { title: secret, port: 8080 }, secrets: [secret] });
    const sealed = fixture.db.sqlite.prepare('SELECT used, digest FROM dependency_snapshots').get();
    expect(JSON.stringify(sealed)).not.toContain(secret);
    // An Output of the consumer that repeats the value is as sensitive as the original.
    await applyPlan(run, { again: plain(secret), other: plain('x') });
    expect(fixture.domains.states.getCurrentOutput(consumer)?.workspaceOutputs).toEqual({ other: 'x' });
  });

  test('is refused while a required Output is missing, with a message that names it', async () => {
    const { producer, consumer } = await pair({ url: plain('not a url') });
    const { id } = link(producer, consumer, [{ from: 'gone', to: 'title' }]);
    const { name } = fixture.domains.capsules.getRow(producer);
    expect(refusal(() => plan(consumer))).toEqual(
      missing(new RegExp(`Output "gone" of Capsule "${name}" does not exist`)),
    );
    expect(fixture.domains.runs.findActive(consumer)).toBeUndefined();
    fixture.domains.dependencies.remove(id, fixture.owner);
    link(producer, consumer, [{ from: 'url', to: 'title', type: 'url' }]);
    expect(refusal(() => plan(consumer))).toEqual(missing(/does not have the type url/));
  });

  test('waits for the first apply of its producer, unless the Output is optional', async () => {
    const [producer, consumer] = [fixture.makeCapsule().id, fixture.makeCapsule().id];
    const { id } = link(producer, consumer, [{ from: 'url', to: 'title' }]);
    expect(refusal(() => plan(consumer))).toEqual(missing(/was never applied, so there is no Output "url"/));
    fixture.domains.dependencies.remove(id, fixture.owner);
    link(producer, consumer, [{ from: 'url', to: 'title', required: false }]);
    expect(specOf(await planned(consumer)).variables).toEqual({ title: 'one' });
  });

  test('is refused when its producer was destroyed', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    fixture.domains.capsules.move(producer, 'destroy');
    expect(refusal(() => plan(consumer))).toEqual(missing(/was destroyed/));
  });

  test('receives only public Outputs where only those are requested', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one'), password: sensitive('hunter22222') });
    link(producer, consumer, [{ from: 'url', to: 'title' }], 'published_output');
    expect(specOf(await planned(consumer)).variables).toEqual({ title: 'http://one' });
    link(producer, consumer, [{ from: 'password', to: 'other' }], 'published_output');
    expect(refusal(() => plan(consumer))).toEqual(missing(/does not exist, or is not public/));
  });
});

describe('a Capsule whose manifest lists its public Outputs', () => {
  const openAdopted = (publishes: OutputAllowlist) => openScheduleFixture(heldClock(), { publishes });

  test('shows the Workspace all Outputs that are not sensitive, and makes public only those it lists', async () => {
    await fixture.close();
    fixture = await openAdopted({ address: { from: 'url', type: 'url' } });
    const { producer, consumer } = await pair({ url: plain('http://one'), size: { value: 3, type: 'number' } });
    expect(fixture.domains.states.getCurrentOutput(producer)).toMatchObject({
      publicOutputs: { address: 'http://one' },
      workspaceOutputs: { url: 'http://one', size: 3 },
    });
    link(producer, consumer, [{ from: 'address', to: 'title' }], 'published_output');
    expect(specOf(await planned(consumer)).variables).toEqual({ title: 'http://one' });
    link(producer, consumer, [{ from: 'url', to: 'other' }], 'published_output');
    expect(refusal(() => plan(consumer))).toEqual(missing(/does not exist, or is not public/));
  });

  test('makes consumers stale when an Output that it makes public changes', async () => {
    await fixture.close();
    fixture = await openAdopted({ address: { from: 'url', type: 'url' } });
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'address', to: 'title' }], 'published_output');
    await applied(consumer);
    expect(statusOf(consumer)).toBe('active');
    await applied(producer, { url: plain('http://two') });
    expect(statusOf(consumer)).toBe('stale');
  });

  test('reports in the apply which Output is not public because of its type', async () => {
    await fixture.close();
    fixture = await openAdopted({ seats: { from: 'url', type: 'number' } });
    const { producer } = await pair({ url: plain('http://one') });
    const { latestRun } = fixture.domains.capsules.getCapsule(producer);
    expect(fixture.domains.states.getCurrentOutput(producer)).toMatchObject({ publicOutputs: {} });
    const warnings = fixture.domains.runs.feed.listKind(latestRun?.id ?? '', 'diagnostic', { after: 0, limit: 10 });
    expect(warnings.map(({ payload }) => payload)).toMatchObject([
      { severity: 'warning', code: 'output_type_mismatch', message: expect.stringContaining('"seats"') },
    ]);
  });

  test('makes nothing public where it lists nothing', async () => {
    await fixture.close();
    fixture = await openAdopted({});
    const { producer } = await pair({ url: plain('http://one') });
    expect(fixture.domains.states.getCurrentOutput(producer)).toMatchObject({
      publicOutputs: {},
      workspaceOutputs: { url: 'http://one' },
    });
  });
});

describe('the whole state of another Capsule', () => {
  test('is passed to the plan as it was then, and to its apply; its secrets are redacted', async () => {
    const secret = 'correct horse battery staple';
    const { producer, consumer } = await pair({ url: plain('http://one'), password: sensitive(secret) });
    link(producer, consumer, [{ from: 'state', to: 'title' }], 'remote_state');
    const run = await planned(consumer);
    expect(specOf(run)).toMatchObject({
      variables: { title: 'one' },
      producerStates: [{ variable: 'title', capsuleId: producer, text: expect.stringContaining('http://one') }],
      secrets: [secret],
    });
    await applied(producer, { url: plain('http://two') });
    const apply = await applyPlan(run);
    expect(specOf(apply).producerStates?.[0]?.text).toContain('http://one');
    expect(statusOf(consumer)).toBe('stale');
    expect(specOf(await applied(consumer)).producerStates?.[0]?.text).toContain('http://two');
    expect(statusOf(consumer)).toBe('active');
  });

  test('is required', async () => {
    const [producer, consumer] = [fixture.makeCapsule().id, fixture.makeCapsule().id];
    link(producer, consumer, [{ from: 'state', to: 'title' }], 'remote_state');
    expect(refusal(() => plan(consumer))).toEqual(missing(/was never applied, so there is no state to read/));
  });
});

describe('across Workspaces a plan', () => {
  async function shared(outputs: { name: string; alias?: string; sensitive?: boolean }[]) {
    const other = addWorkspace(fixture.db, [fixture.owner]);
    const producer = fixture.makeCapsule(other).id;
    const consumer = fixture.makeCapsule().id;
    await applied(producer, { url: plain('http://one'), token: plain('tok-1234567') });
    const { shares } = fixture.domains;
    const sensitivePolicy = { allow: true as const, reason: 'agreed' };
    const sides = { fromWorkspaceId: other, toWorkspaceId: fixture.workspaceId, producerCapsuleId: producer };
    const share = shares.create({ ...sides, outputs, sensitivePolicy }, fixture.owner);
    shares.approve(share.id, fixture.owner);
    return { producer, consumer, share };
  }

  test('uses shared Outputs under the names of the share, with the sensitivity of the share', async () => {
    const { producer, consumer } = await shared([
      { name: 'url', alias: 'address' },
      { name: 'token', sensitive: true },
    ]);
    link(producer, consumer, [
      { from: 'address', to: 'title' },
      { from: 'token', to: 'token' },
    ]);
    expect(specOf(await planned(consumer))).toMatchObject({
      variables: { title: 'http://one', token: 'tok-1234567' },
      secrets: ['tok-1234567'],
    });
  });

  test('is refused after the share was revoked, and a plan created before is applied', async () => {
    const { producer, consumer, share } = await shared([{ name: 'url' }]);
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    const reviewed = await planned(consumer);
    const waiting = plan(consumer);
    fixture.domains.shares.revoke(share.id, fixture.owner);
    expect(refusal(() => plan(consumer))).toEqual(missing(/is not shared with this Workspace. Ask/));
    await fixture.settle();
    // The Run in between was started before the share was revoked.
    if (fixture.runner.startedRuns.has(waiting.id)) fixture.runner.end(waiting.id, planOutcome(specOf(waiting)));
    await fixture.settle();
    expect((await applyPlan(reviewed)).status).toBe('succeeded');
    expect(specOf(reviewed).variables).toEqual({ title: 'http://one' });
  });

  test('that still waits when the share is revoked fails when it starts', async () => {
    const { producer, consumer, share } = await shared([{ name: 'url' }]);
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    const first = plan(consumer);
    await fixture.settle();
    const second = plan(consumer);
    fixture.domains.shares.revoke(share.id, fixture.owner);
    fixture.runner.end(first.id, planOutcome(specOf(first)));
    await fixture.settle();
    expect(fixture.domains.runs.getRun(second.id)).toMatchObject({
      status: 'failed',
      errorCode: 'dependency_output_missing',
    });
    expect(fixture.runner.startedRuns.has(second.id)).toBe(false);
  });

  test('a changed shared Output makes the consumer stale under the name it knows, and a revoked one does not', async () => {
    const { producer, consumer, share } = await shared([{ name: 'url', alias: 'address' }]);
    link(producer, consumer, [{ from: 'address', to: 'title' }]);
    await applied(consumer);
    await applied(producer, { url: plain('http://two') });
    expect(statusOf(consumer)).toBe('stale');
    expect(staleEvents()).toMatchObject([{ targetId: consumer, changedOutputs: ['address'] }]);
    await applied(consumer);
    fixture.domains.shares.revoke(share.id, fixture.owner);
    await applied(producer, { url: plain('http://three') });
    expect(statusOf(consumer)).toBe('active');
  });
});

describe('a Capsule', () => {
  test('is stale when an Output it uses has changed, and only then', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one'), port: plain(1) });
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    await applied(consumer);
    await applied(producer, { url: plain('http://one'), port: plain(2) });
    expect(statusOf(consumer)).toBe('active');
    await applied(producer, { url: plain('http://two'), port: plain(2) });
    expect(statusOf(consumer)).toBe('stale');
    const { name } = fixture.domains.capsules.getRow(producer);
    expect(staleEvents()).toEqual([
      {
        targetId: consumer,
        reason: 'producer_output_changed',
        producerCapsuleId: producer,
        producerCapsuleName: name,
        changedOutputs: ['url'],
      },
    ]);
    expect(specOf(await applied(consumer)).variables).toEqual({ title: 'http://two' });
    expect(statusOf(consumer)).toBe('active');
    // A removed Output counts as changed, and so does a sensitive one.
    await applied(producer, {});
    expect(statusOf(consumer)).toBe('stale');
  });

  test('is stale at once when the values of its plan are outdated by the time it is applied', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    const run = await planned(consumer);
    await applied(producer, { url: plain('http://two') });
    expect((await applyPlan(run)).status).toBe('succeeded');
    expect(statusOf(consumer)).toBe('stale');
    expect(staleEvents()).toMatchObject([{ targetId: consumer, changedOutputs: ['url'] }]);
    await applied(consumer);
    expect(statusOf(consumer)).toBe('active');
  });

  test('that reads a whole state is stale when its Outputs change, and not when an apply changes none', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'state', to: 'title' }], 'remote_state');
    const run = await planned(consumer);
    await applied(producer, { url: plain('http://one') });
    await applyPlan(run);
    expect(statusOf(consumer)).toBe('active');
    const next = await planned(consumer);
    await applied(producer, { url: plain('http://one'), more: plain('x') });
    await applyPlan(next);
    expect(statusOf(consumer)).toBe('stale');
    expect(staleEvents().map((event) => 'changedOutputs' in event && event.changedOutputs)).toContainEqual(['more']);
  });

  test('is stale when an optional Output was added since', async () => {
    const [producer, consumer] = [fixture.makeCapsule().id, fixture.makeCapsule().id];
    link(producer, consumer, [{ from: 'url', to: 'title', required: false }]);
    const run = await planned(consumer);
    await applied(producer, { url: plain('http://one') });
    await applyPlan(run);
    expect(statusOf(consumer)).toBe('stale');
  });

  test('is applied although its previous Outputs cannot be read: its consumers are stale then', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    await applied(consumer);
    fixture.db.sqlite.prepare('UPDATE outputs SET state_generation = 99 WHERE capsule_id = ?').run(producer);
    expect((await applied(producer, { url: plain('http://one') })).status).toBe('succeeded');
    expect(statusOf(consumer)).toBe('stale');
  });

  test('is marked stale after a failed apply of its producer that changed Outputs', async () => {
    const { producer, consumer } = await pair({ url: plain('http://one') });
    link(producer, consumer, [{ from: 'url', to: 'title' }]);
    await applied(consumer);
    await applyPlan(await planned(producer), { url: plain('http://half') }, false);
    expect([statusOf(producer), statusOf(consumer)]).toEqual(['error', 'stale']);
  });
});

test('a plan whose supervisor was lost runs again with the values that were sealed with it', async () => {
  const { producer, consumer } = await pair({ url: plain('http://one') });
  link(producer, consumer, [{ from: 'url', to: 'title' }]);
  const run = plan(consumer);
  await fixture.settle();
  await applied(producer, { url: plain('http://two') });
  const first = specOf(run);
  fixture.runner.lose(run.id);
  await fixture.settle();
  expect(specOf(run)).not.toBe(first);
  expect(specOf(run).variables).toEqual({ title: 'http://one' });
});
