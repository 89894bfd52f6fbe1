import { afterEach, describe, expect, it } from 'vitest';
import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import { actionOf, playActions } from '../../../test/action-player.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';

let fixture: ScheduleFixture;
afterEach(() => fixture?.close());

const blueprint = {
  key: 'page',
  name: 'page',
  spec: {
    type: 'interface.ui.surface',
    version: '1',
    document: {},
    inputs: { url: { source: 'capsule_output' as const, outputName: 'url' } },
    access: { visibility: 'workspace' as const, resourceUriInput: 'url' },
  },
};

async function open(lifecycleActions: LifecycleAction[]) {
  fixture = await openScheduleFixture(heldClock(), { lifecycleActions, offers: [blueprint] });
  return { ...playActions(fixture), capsuleId: fixture.makeCapsule().id };
}
const drain = actionOf('drain', { phase: 'pre_destroy' });
const failed = { status: 'failed', errorCode: 'capsule_lifecycle_action_failed' };
const count = (table: string): number =>
  fixture.db.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
const activity = (): unknown[] =>
  fixture.db.sqlite
    .prepare("SELECT action FROM audit_events WHERE action LIKE 'release_activation.%' ORDER BY seq")
    .pluck()
    .all();

describe('provider apply finished', () => {
  it('without a post_apply action: Run succeeded, Capsule active', async () => {
    const { applied, capsuleId, read, capsule, rowsOf } = await open([drain]);
    const id = await applied(capsuleId);
    expect([read(id).status, capsule(capsuleId)]).toMatchObject([
      'succeeded',
      { status: 'active', runtimeSafety: 'safe' },
    ]);
    expect(rowsOf(id)).toEqual([]);
  });

  it('before the actions end: the state is current, the Run runs, the Capsule keeps its status', async () => {
    const { applied, capsuleId, read, capsule } = await open([actionOf('a')]);
    const id = await applied(capsuleId);
    expect(read(id).status).toBe('running');
    expect(capsule(capsuleId)).toMatchObject({ status: 'pending', currentStateGeneration: 1 });
    expect(capsule(capsuleId)).not.toHaveProperty('runtimeSafety');
    expect(fixture.domains.states.getCurrentOutput(capsuleId)?.publicOutputs).toEqual({ url: 'https://example.org' });
    expect(count('materialization_intents')).toBe(0);
  });

  it('every post_apply action succeeded, in list order: Run succeeded, Capsule active, Interfaces materialized', async () => {
    const { applied, capsuleId, read, capsule, end, isStarted, eventsOf } = await open([
      actionOf('a'),
      drain,
      actionOf('b'),
    ]);
    const id = await applied(capsuleId);
    expect([isStarted(id, 0), isStarted(id, 2)]).toEqual([true, false]);
    await end(id, 0);
    expect([isStarted(id, 1), isStarted(id, 2)]).toEqual([false, true]);
    await end(id, 2);
    expect([read(id).status, capsule(capsuleId)]).toMatchObject([
      'succeeded',
      { status: 'active', runtimeSafety: 'safe' },
    ]);
    expect(eventsOf(id).slice(-3)).toEqual([
      'lifecycle_action.post_apply.succeeded',
      'lifecycle_action.post_apply.succeeded',
      'apply.completed',
    ]);
    expect(count('materialization_intents')).toBe(1);
    expect(activity()).toEqual(['release_activation.succeeded', 'release_activation.succeeded']);
  });

  it('a post_apply action failed: Run failed, Capsule error and unsafe, state and usage kept, plan consumed, nothing materialized', async () => {
    const { planned, apply, endTool, capsuleId, read, capsule, end, isStarted, eventsOf } = await open([
      actionOf('a'),
      actionOf('b'),
    ]);
    const plan = await planned(capsuleId);
    const id = await apply(plan.id);
    await endTool(id);
    await end(id, 0, 7);
    expect(isStarted(id, 1)).toBe(false);
    expect(read(id)).toMatchObject(failed);
    expect(capsule(capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown', currentStateGeneration: 1 });
    expect(capsule(capsuleId)).toHaveProperty('adoptedSourceRevision.sourceSnapshotId');
    expect(fixture.domains.states.getCurrentOutput(capsuleId)?.publicOutputs).toEqual({ url: 'https://example.org' });
    expect(fixture.domains.usage.summaryOf(capsuleId).eventCount).toBe(2);
    expect(read(plan.id)).toMatchObject({ applyRunId: id });
    expect(count('materialization_intents')).toBe(0);
    expect(eventsOf(id).slice(-2)).toEqual(['lifecycle_action.post_apply.failed', 'apply.failed']);
    const [data] = fixture.domains.runs.feed
      .listKind(id, 'audit', { after: 0, limit: 99 })
      .filter(({ payload }) => payload['type'] === 'apply.failed')
      .map(({ payload }) => payload['data']);
    expect(data).toMatchObject({ providerDispatched: true, providerApplySucceeded: true });
    expect(fixture.domains.runs.feed.listKind(id, 'diagnostic', { after: 0, limit: 9 })).toMatchObject([
      {
        payload: {
          severity: 'error',
          code: 'capsule_lifecycle_action_failed',
          message: expect.stringContaining('"a"'),
        },
      },
    ]);
  });

  it('a fresh plan and apply after a failed post_apply action: Capsule active and safe', async () => {
    const { applied, capsuleId, read, capsule, end } = await open([actionOf('a')]);
    await end(await applied(capsuleId), 0, 1);
    const second = await applied(capsuleId);
    await end(second, 0);
    expect([read(second).status, capsule(capsuleId)]).toMatchObject([
      'succeeded',
      { status: 'active', runtimeSafety: 'safe', currentStateGeneration: 2 },
    ]);
  });

  it('failed at the provider: no post_apply action runs', async () => {
    const { planned, apply, endTool, capsuleId, read, capsule, isStarted } = await open([actionOf('a')]);
    const id = await apply((await planned(capsuleId)).id);
    await endTool(id, false);
    expect([read(id).errorCode, isStarted(id, 0)]).toEqual(['apply_failed', false]);
    expect(capsule(capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
  });

  it('with an action of the executor operator and no activator: the Run fails at once and nothing is invoked', async () => {
    const { applied, capsuleId, read, capsule, rowsOf } = await open([actionOf('a', { executor: 'operator' })]);
    const id = await applied(capsuleId);
    expect(read(id)).toMatchObject(failed);
    expect(capsule(capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
    expect(rowsOf(id)).toMatchObject([{ result: 'failed', invoked: 0 }]);
  });

  it('a post_apply action runs after an apply without changes too', async () => {
    const { applied, capsuleId, end, isStarted } = await open([actionOf('a')]);
    await end(await applied(capsuleId), 0);
    const again = await applied(capsuleId);
    expect(isStarted(again, 0)).toBe(true);
    await end(again, 0);
  });
});

describe('destroy', () => {
  async function openDestroy(actions: LifecycleAction[]) {
    const on = await open(actions);
    const first = await on.applied(on.capsuleId);
    for (const [position, { phase }] of actions.entries()) if (phase === 'post_apply') await on.end(first, position);
    return { ...on, first };
  }

  it('pre_destroy succeeded: the provider is called, Capsule destroyed', async () => {
    const { destroying, endTool, capsuleId, read, capsule, end } = await openDestroy([drain]);
    const id = await destroying(capsuleId);
    expect(fixture.runner.startedRuns.has(id)).toBe(false);
    await end(id, 0);
    expect(fixture.runner.startedRuns.has(id)).toBe(true);
    await endTool(id);
    expect([read(id).status, capsule(capsuleId).status]).toEqual(['succeeded', 'destroyed']);
  });

  it('pre_destroy not succeeded after it was invoked: the provider is not called, safety unknown, status unchanged', async () => {
    const { destroying, capsuleId, read, capsule, end, eventsOf } = await openDestroy([drain]);
    const id = await destroying(capsuleId);
    await end(id, 0, 4);
    expect(fixture.runner.startedRuns.has(id)).toBe(false);
    expect(read(id)).toMatchObject(failed);
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown', currentStateGeneration: 1 });
    expect(eventsOf(id).slice(-2)).toEqual(['lifecycle_action.pre_destroy.failed', 'destroy.failed']);
  });

  it('pre_destroy failed before an activator was invoked: safety stays what it was', async () => {
    const operator = actionOf('tell', { phase: 'pre_destroy', executor: 'operator' });
    const { destroying, capsuleId, read, capsule } = await openDestroy([operator]);
    const id = await destroying(capsuleId);
    expect(read(id)).toMatchObject(failed);
    expect(fixture.runner.startedRuns.has(id)).toBe(false);
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
  });

  it('pre_destroy succeeded and the tool never started: safety unknown, because an activator was invoked', async () => {
    const { destroying, capsuleId, read, capsule, end } = await openDestroy([drain]);
    const id = await destroying(capsuleId);
    await end(id, 0);
    const message = 'The tool is gone.';
    fixture.runner.end(id, { kind: 'failed', errorCode: 'tool_unavailable', message, phase: 'init' });
    await fixture.settle();
    expect(read(id)).toMatchObject({ status: 'failed', errorCode: 'tool_unavailable' });
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
  });

  it('cleanupFor an action that never ran: not_applicable lets the destroy go on', async () => {
    const cleanup = actionOf('undo', { phase: 'pre_destroy', cleanupFor: 'b' });
    const { planned, apply, endTool, destroying, capsuleId, end, eventsOf, isStarted } = await open([
      actionOf('a'),
      actionOf('b'),
      cleanup,
    ]);
    const first = await apply((await planned(capsuleId)).id);
    await endTool(first);
    await end(first, 0, 1);
    const id = await destroying(capsuleId);
    expect(isStarted(id, 2)).toBe(false);
    expect(eventsOf(id)).toContain('lifecycle_action.pre_destroy.not_applicable');
    expect(fixture.runner.startedRuns.has(id)).toBe(true);
  });

  it.each([
    ['ended succeeded', true],
    ['ended failed', false],
  ])('cleanupFor an action that %s: runs %s', async (_how, runs) => {
    const cleanup = actionOf('undo', { phase: 'pre_destroy', cleanupFor: 'a' });
    const { applied, destroying, capsuleId, end, isStarted } = await open([actionOf('a'), cleanup]);
    await end(await applied(capsuleId), 0, runs ? 0 : 1);
    const id = await destroying(capsuleId);
    expect([isStarted(id, 1), fixture.runner.startedRuns.has(id)]).toEqual([runs, !runs]);
    if (runs) await end(id, 1);
  });
});

describe('an interrupt', () => {
  it('of a running action asks its supervisor to end it, and the result is failed', async () => {
    const { applied, capsuleId, scriptOf, read, capsule } = await open([actionOf('a')]);
    const id = await applied(capsuleId);
    const run = fixture.domains.runs.getCapsuleRun(id);
    fixture.domains.runs.extendInput(run, { cancelledBy: fixture.owner });
    fixture.domains.runs.requestStop(run);
    await fixture.settle();
    expect(scriptOf(`${id}.0`).isCancelled).toBe(true);
    fixture.runner.end(`${id}.0`, { kind: 'action', succeeded: false, message: 'The action was interrupted.' });
    await fixture.settle();
    expect([read(id), capsule(capsuleId)]).toMatchObject([failed, { status: 'error', runtimeSafety: 'unknown' }]);
  });

  it('before the next action prevents its start', async () => {
    const { applied, capsuleId, read, end, isStarted, rowsOf } = await open([actionOf('a'), actionOf('b')]);
    const id = await applied(capsuleId);
    const run = fixture.domains.runs.getCapsuleRun(id);
    fixture.domains.runs.extendInput(run, { cancelledBy: fixture.owner });
    await end(id, 0);
    expect([read(id), isStarted(id, 1)]).toMatchObject([failed, false]);
    expect(rowsOf(id)).toMatchObject([{ result: 'succeeded' }, { result: 'failed', invoked: 0 }]);
  });
});

describe('a killed server', () => {
  it('goes on after the last stored result, and starts no action again', async () => {
    const { applied, capsuleId, read, end, spawn, scriptOf } = await open([actionOf('a'), actionOf('b')]);
    const id = await applied(capsuleId);
    await end(id, 0);
    spawn(id, 1);
    await fixture.settle();
    const supervisor = scriptOf(`${id}.1`);
    await fixture.restart();
    await fixture.settle();
    expect(scriptOf(`${id}.1`)).toBe(supervisor);
    await end(id, 1);
    expect(read(id).status).toBe('succeeded');
  });

  it('between the last result and the end of the Run ends it at the next start', async () => {
    const { applied, capsuleId, read, spawn } = await open([actionOf('a')]);
    const id = await applied(capsuleId);
    spawn(id, 0);
    await fixture.settle();
    await fixture.domains.queue.stop();
    fixture.db.sqlite.prepare("UPDATE lifecycle_actions SET result = 'succeeded' WHERE run_id = ?").run(id);
    await fixture.restart();
    await fixture.settle();
    expect(read(id).status).toBe('succeeded');
  });

  it('before a destroy continues its actions before the tool', async () => {
    const { applied, destroying, capsuleId, endTool, read, end } = await open([
      drain,
      actionOf('b', { phase: 'pre_destroy' }),
    ]);
    await applied(capsuleId);
    const id = await destroying(capsuleId);
    await end(id, 0);
    await fixture.restart();
    await fixture.settle();
    expect(fixture.runner.startedRuns.has(id)).toBe(false);
    await end(id, 1);
    await endTool(id);
    expect(read(id).status).toBe('succeeded');
  });

  it('after the actions before a destroy checks the Run again, and repeats no action', async () => {
    const { applied, destroying, capsuleId, endTool, read, spawn, rowsOf } = await open([drain]);
    await applied(capsuleId);
    const id = await destroying(capsuleId);
    spawn(id, 0);
    await fixture.settle();
    await fixture.domains.queue.stop();
    fixture.db.sqlite.prepare("UPDATE lifecycle_actions SET result = 'succeeded' WHERE run_id = ?").run(id);
    await fixture.restart();
    await fixture.settle();
    await endTool(id);
    expect([read(id).status, rowsOf(id).length]).toEqual(['succeeded', 1]);
  });
});

describe('a killed supervisor', () => {
  it('after the command was started: failed with an unknown end, and its cleanup runs', async () => {
    const cleanup = actionOf('undo', { phase: 'pre_destroy', cleanupFor: 'a' });
    const { applied, destroying, capsuleId, read, spawn, rowsOf, isStarted, end } = await open([
      actionOf('a'),
      cleanup,
    ]);
    const id = await applied(capsuleId);
    spawn(id, 0);
    fixture.runner.lose(`${id}.0`);
    await fixture.settle();
    expect([read(id), rowsOf(id)]).toMatchObject([failed, [{ result: 'failed', invoked: 1, is_end_known: 0 }]]);
    const destroy = await destroying(capsuleId);
    expect(isStarted(destroy, 1)).toBe(true);
    await end(destroy, 1);
  });

  it('before the command was started: another one takes the action', async () => {
    const { applied, capsuleId, read, end, scriptOf } = await open([actionOf('a')]);
    const id = await applied(capsuleId);
    const first = scriptOf(`${id}.0`);
    fixture.runner.lose(`${id}.0`);
    await fixture.settle();
    expect(scriptOf(`${id}.0`)).not.toBe(first);
    await end(id, 0);
    expect(read(id).status).toBe('succeeded');
  });

  it('three times before the command was started: failed, and nothing counts as invoked', async () => {
    const { applied, capsuleId, read, rowsOf } = await open([actionOf('a')]);
    const id = await applied(capsuleId);
    for (let lost = 0; lost < 3; lost += 1) {
      fixture.runner.lose(`${id}.0`);
      await fixture.settle();
    }
    expect([read(id), rowsOf(id)]).toMatchObject([failed, [{ result: 'failed', invoked: 0 }]]);
  });
});

describe('what an action is given', () => {
  it('is its command, the Outputs and its limits, and neither state, plan, variables nor key', async () => {
    const action = actionOf('a', { workingDirectory: 'ops', env: { MODE: 'x' }, timeoutSeconds: 7 });
    const { applied, capsuleId, scriptOf, rowsOf } = await open([action]);
    const id = await applied(capsuleId);
    const { spec } = scriptOf(`${id}.0`);
    expect(spec).toMatchObject({ operation: 'action', state: null, plan: null, lock: null, variables: {} });
    expect(spec.action).toEqual({
      id: 'a',
      command: ['./act.sh'],
      workingDirectory: 'ops',
      env: { MODE: 'x' },
      hostEnv: { SVC_OUTPUTS_JSON: '{"url":"https://example.org"}' },
      seconds: 7,
    });
    expect(spec.credentials).toBeUndefined();
    expect(spec.sealing.encryptionKey).not.toBe(scriptOf(id).spec.sealing.encryptionKey);
    expect(JSON.parse(rowsOf(id)[0]?.evidence ?? '')).toEqual({ outputsDigest: expect.stringMatching(/^sha256:/) });
  });
});
