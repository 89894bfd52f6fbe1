import type http from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import { actionOf, playActions } from '../../../test/action-player.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { applyOutcome } from '../../../test/scripted-runner.ts';
import { hang, startWebhookReceiver, type WebhookReceiver } from '../../../test/webhook-receiver.ts';

const token = 'token-of-the-activator';
let fixture: ScheduleFixture;
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  await fixture?.close();
  await receiver.close();
});

const respond =
  (answer: object) =>
  (_request: http.IncomingMessage, response: http.ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
const announce = actionOf('announce', { executor: 'operator', command: ['announce', '--now'], timeoutSeconds: 20 });
const failed = { status: 'failed', errorCode: 'capsule_lifecycle_action_failed' };

async function open(lifecycleActions: LifecycleAction[] = [announce]) {
  const releaseActivator = { url: receiver.url, token };
  fixture = await openScheduleFixture(heldClock(), { lifecycleActions, releaseActivator });
  const player = playActions(fixture);
  const ended = (id: string) => fixture.domains.runs.waitUntilSettled(id, 20_000);
  return { ...player, ended, capsuleId: fixture.makeCapsule().id };
}
const messages = (id: string): unknown[] =>
  fixture.domains.runs.feed.listKind(id, 'diagnostic', { after: 0, limit: 9 }).map(({ payload }) => payload['message']);

describe('a release activation', () => {
  it('names every record, and its success ends the Run', async () => {
    receiver.answer(respond({ status: 'succeeded', healthUrl: 'https://app.example/healthz' }));
    const { applied, capsuleId, ended, rowsOf, capsule } = await open();
    const id = await applied(capsuleId);
    expect((await ended(id)).status).toBe('succeeded');
    const run = fixture.domains.runs.getRun(id);
    const output = fixture.domains.states.getCurrentOutput(capsuleId);
    const [{ json, headers }] = receiver.received as [(typeof receiver.received)[number]];
    expect(headers).toMatchObject({ authorization: `Bearer ${token}`, 'idempotency-key': `${id}:announce` });
    expect(json).toEqual({
      kind: 'svc.operator.release-activation@v2',
      workspaceId: fixture.workspaceId,
      capsuleId,
      capsuleName: run.capsuleName,
      environment: 'test',
      stateVersionId: capsule(capsuleId).currentStateVersionId,
      stateGeneration: 1,
      outputId: output?.id,
      outputDigest: output?.outputDigest,
      runId: id,
      planRunId: run.planRunId,
      sourceSnapshotId: run.sourceSnapshotId,
      resolvedCommit: run.resolvedCommit,
      action: { id: 'announce', phase: 'post_apply', command: ['announce', '--now'], timeoutSeconds: 20 },
      outputs: { url: 'https://example.org' },
    });
    expect(JSON.parse(rowsOf(id)[0]?.evidence ?? '')).toMatchObject({ healthUrl: 'https://app.example/healthz' });
  });

  it.each([
    ['pending', 'still warming up'],
    ['skipped', 'not my job'],
    ['failed', 'it broke'],
  ])('answered with %s fails the Run with the message, and keeps the state', async (status, message) => {
    receiver.answer(respond({ status, message }));
    const { applied, capsuleId, ended, eventsOf, capsule } = await open();
    const id = await applied(capsuleId);
    expect(await ended(id)).toMatchObject(failed);
    expect(messages(id)).toEqual([expect.stringContaining(message)]);
    expect(eventsOf(id)).toContain(`lifecycle_action.post_apply.${status}`);
    expect(capsule(capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown', currentStateGeneration: 1 });
  });

  it('answered with a credential shows none of it', async () => {
    receiver.answer(respond({ status: 'failed', message: `I got Bearer ${token} and\u001b[2J more` }));
    const { applied, capsuleId, ended } = await open();
    const id = await applied(capsuleId);
    await ended(id);
    expect(JSON.stringify(messages(id))).not.toContain(token);
    expect(JSON.stringify(messages(id))).not.toContain('\\u001b');
  });

  it('leaves out Outputs that look like credentials', async () => {
    receiver.answer(respond({ status: 'succeeded' }));
    const { planned, apply, capsuleId, ended, scriptOf } = await open();
    const id = await apply((await planned(capsuleId)).id);
    const outputs = Object.entries({
      url: 'https://example.org',
      api_token: 'plain',
      key: `ghp_${'a'.repeat(20)}`,
      nested: { list: [{ password: 'x' }] },
    }).map(([name, value]) => [name, { value, type: 'dynamic' }]);
    fixture.runner.end(id, applyOutcome(scriptOf(id).spec, true, Object.fromEntries(outputs)));
    await ended(id);
    expect(receiver.received.map(({ json }) => (json as { outputs: object }).outputs)).toEqual([
      { url: 'https://example.org' },
    ]);
  });

  it('that was sent and not answered when the server ended is failed, and not sent again', async () => {
    receiver.answer(hang);
    const { applied, capsuleId, ended, rowsOf } = await open();
    const id = await applied(capsuleId);
    await receiver.atLeast(1);
    await fixture.restart();
    expect(await ended(id)).toMatchObject(failed);
    expect(rowsOf(id)).toMatchObject([{ result: 'failed', invoked: 1, is_end_known: 0 }]);
    expect(receiver.received).toHaveLength(1);
  });

  it('is interrupted with its Run', async () => {
    receiver.answer(hang);
    const { applied, capsuleId, ended } = await open();
    const id = await applied(capsuleId);
    await receiver.atLeast(1);
    const run = fixture.domains.runs.getCapsuleRun(id);
    fixture.domains.runs.extendInput(run, { cancelledBy: fixture.owner });
    fixture.domains.runs.requestStop(run);
    expect(await ended(id)).toMatchObject(failed);
    expect(messages(id)).toEqual([expect.stringContaining('interrupted')]);
  });

  it('before a destroy that is not answered with success blocks it, and the Capsule is unsafe', async () => {
    receiver.answer(respond({ status: 'failed', message: 'still in use' }));
    const drain = { ...announce, id: 'drain', phase: 'pre_destroy' as const };
    const { applied, capsuleId, destroying, ended, capsule } = await open([drain]);
    await ended(await applied(capsuleId));
    const id = await destroying(capsuleId);
    expect(await ended(id)).toMatchObject(failed);
    expect(fixture.runner.startedRuns.has(id)).toBe(false);
    expect(capsule(capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'unknown' });
  });

  it('is recorded as not applicable for an apply without actions', async () => {
    const drain = actionOf('drain', { phase: 'pre_destroy' });
    const { applied, capsuleId } = await open([drain]);
    await applied(capsuleId);
    const recorded = fixture.db.sqlite
      .prepare("SELECT action FROM audit_events WHERE action LIKE 'release_activation.%'")
      .pluck()
      .all();
    expect([recorded, receiver.received.length]).toEqual([['release_activation.not_applicable'], 0]);
  });
});
