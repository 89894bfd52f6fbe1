import type http from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import { actionOf, playActions } from '../../../test/action-player.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';
import { AppError } from '../../kernel/errors.ts';
import { RunnerError } from '../../runner/index.ts';

let fixture: ScheduleFixture;
let receiver: WebhookReceiver | undefined;
afterEach(async () => {
  await fixture?.close();
  await receiver?.close();
  receiver = undefined;
});

const drain = actionOf('drain', { phase: 'pre_destroy' });
async function open(lifecycleActions: LifecycleAction[]) {
  const releaseActivator = receiver && { releaseActivator: { url: receiver.url, token: 'token-of-the-activator' } };
  fixture = await openScheduleFixture(heldClock(), { lifecycleActions, ...releaseActivator });
  return { ...playActions(fixture), capsuleId: fixture.makeCapsule().id };
}
const diagnosticsOf = (id: string): unknown[] =>
  fixture.domains.runs.feed
    .listKind(id, 'diagnostic', { after: 0, limit: 9 })
    .map(({ payload }) => [payload['code'], payload['message']]);

/** A destroy whose drain waits for its end. */
async function openDrain() {
  const on = await open([drain]);
  await on.applied(on.capsuleId);
  const id = await on.destroying(on.capsuleId);
  await vi.waitFor(() => expect(on.isStarted(id, 0)).toBe(true));
  return { ...on, id };
}

describe('an error of the server', () => {
  it('after the last action before a destroy ends the Run with the reason', async () => {
    const { id, end, read, capsule, capsuleId } = await openDrain();
    fixture.toolManager.current = () => Promise.reject(new Error('no tool'));
    fixture.toolManager.require = () => Promise.reject(new Error('no tool'));
    await end(id, 0);
    expect(read(id)).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
    expect(diagnosticsOf(id)).toEqual([['apply_failed', expect.stringContaining('failed unexpectedly')]]);
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
  });

  it('after the last action of an apply ends the Run with the reason, and keeps the state', async () => {
    const { applied, capsuleId, end, read, capsule } = await open([actionOf('a')]);
    const id = await applied(capsuleId);
    fixture.db.sqlite.exec(`CREATE TEMP TRIGGER no_end BEFORE UPDATE OF status ON main.runs
      WHEN NEW.status = 'succeeded' BEGIN SELECT raise(ABORT, 'no end'); END`);
    await end(id, 0);
    expect(read(id)).toMatchObject({ status: 'failed', errorCode: 'apply_failed' });
    expect(diagnosticsOf(id)).toEqual([['apply_failed', 'The server failed unexpectedly. Read its log.']]);
    expect(capsule(capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown', currentStateGeneration: 1 });
  });
});

describe('a destroy whose drain has run', () => {
  it('is not started after an interrupt, and its Capsule is unsafe', async () => {
    const { id, end, read, capsule, capsuleId } = await openDrain();
    fixture.domains.runs.extendInput(fixture.domains.runs.getCapsuleRun(id), { cancelledBy: fixture.owner });
    await end(id, 0);
    expect(fixture.runner.startedRuns.has(id)).toBe(false);
    expect(read(id)).toMatchObject({ status: 'failed', errorCode: 'apply_interrupted' });
    expect(diagnosticsOf(id)).toEqual([['apply_interrupted', expect.stringContaining('before its tool was started')]]);
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
  });

  it('and is cancelled while it is queued again leaves its Capsule unsafe', async () => {
    const { id, end, read, capsule, capsuleId } = await openDrain();
    await end(id, 0);
    await fixture.domains.queue.stop();
    fixture.domains.runs.move(id, 'requeue');
    fixture.domains.runs.move(id, 'cancel');
    expect(read(id).status).toBe('cancelled');
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
  });
});

describe('an action that no supervisor takes', () => {
  it('fails at once with the reason when the disk is full', async () => {
    const { planned, apply, endTool, capsuleId, read, rowsOf } = await open([actionOf('a')]);
    const id = await apply((await planned(capsuleId)).id);
    const start = vi.spyOn(fixture.runner, 'start').mockRejectedValue(new RunnerError('disk_full', 'full'));
    await endTool(id);
    expect(start).toHaveBeenCalledTimes(1);
    expect(read(id)).toMatchObject({ status: 'failed', errorCode: 'capsule_lifecycle_action_failed' });
    expect(diagnosticsOf(id)).toEqual([[expect.anything(), expect.stringContaining('disk of the data folder')]]);
    expect(rowsOf(id)).toMatchObject([{ result: 'failed', invoked: 0 }]);
  });

  it('is started again after a pause', async () => {
    const { planned, apply, endTool, capsuleId, read, end, isStarted } = await open([actionOf('a')]);
    const id = await apply((await planned(capsuleId)).id);
    const start = vi.spyOn(fixture.runner, 'start').mockRejectedValueOnce(new RunnerError('not_started', 'gone'));
    await endTool(id);
    expect(start).toHaveBeenCalledTimes(1);
    await vi.waitFor(() => expect(isStarted(id, 0)).toBe(true), 20_000);
    await end(id, 0);
    expect(read(id).status).toBe('succeeded');
  });
});

describe('the answer of a release activator', () => {
  it('is recorded when the ledger accepts writes again', async () => {
    receiver = await startWebhookReceiver();
    const write = { fails: 0 };
    receiver.answer((_request: http.IncomingMessage, response: http.ServerResponse) => {
      vi.spyOn(fixture.db, 'write').mockImplementationOnce(() => {
        write.fails += 1;
        throw new AppError('ledger_read_only', 'full');
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"succeeded"}');
    });
    const { applied, capsuleId, rowsOf } = await open([actionOf('announce', { executor: 'operator' })]);
    const id = await applied(capsuleId);
    expect((await fixture.domains.runs.waitUntilSettled(id, 20_000)).status).toBe('succeeded');
    expect(rowsOf(id)).toMatchObject([{ result: 'succeeded', is_end_known: 1 }]);
    expect([write.fails, receiver.received.length]).toEqual([1, 1]);
  });
});
