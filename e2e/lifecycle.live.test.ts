import type http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../server/test/webhook-receiver.ts';
import { planDestroy } from './fixtures/capsule-changes.ts';
import { settled } from './fixtures/feed.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  errorsOf,
  getCapsule,
  getRun,
  installPlanned,
  logsOf,
  planAgain,
  startApply,
} from './fixtures/journey.ts';
import { actionEndsOf, actionOf, declareActions, shellAction } from './fixtures/lifecycle.ts';

let harness: Harness;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  harness = await startHarness({
    env: { SVC_RELEASE_ACTIVATOR_URL: receiver.url, SVC_RELEASE_ACTIVATOR_TOKEN: 'token-of-the-activator' },
  });
});
afterAll(async () => {
  await harness?.stop();
  await receiver?.close();
});

const main = `
resource "terraform_data" "a" {}
output "url" { value = "https://example.org" }
output "key" {
  value     = "hidden-value"
  sensitive = true
}
`;
const answer =
  (body: object) =>
  (_request: http.IncomingMessage, response: http.ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Installs a module with these actions, up to its reviewable plan. */
async function planned(name: string, actions: Parameters<typeof declareActions>[2], files: object = {}) {
  const { url } = harness.repository(name, { 'main.tf': main, ...files });
  await declareActions(harness, url, actions);
  return installPlanned(harness, { url, name });
}
const linesOf = async (runId: string): Promise<string[]> =>
  (await logsOf(harness, runId)).entries.filter(({ phase }) => phase === 'lifecycle').map(({ text }) => text);
const failed = { status: 'failed', errorCode: 'capsule_lifecycle_action_failed' };

describe('actions after an apply', () => {
  it('run in a copy of the snapshot with the Outputs that are not sensitive', async () => {
    const script = 'echo "$SVC_OUTPUTS_JSON $GREETING"; ls; env | cut -d= -f1 | sort | tr "\\n" " "';
    const { plan, capsuleId } = await planned('say', [shellAction('say', 'sh say.sh', { env: { GREETING: 'hi' } })], {
      'say.sh': script,
    });
    const applied = await applyPlan(harness, plan);
    expect([applied.status, await actionEndsOf(harness, applied.id)]).toEqual([
      'succeeded',
      ['post_apply.succeeded say'],
    ]);
    expect(await linesOf(applied.id)).toEqual([
      'Action say: sh -c "sh say.sh"',
      '{"url":"https://example.org"} hi',
      'main.tf',
      'say.sh',
      expect.stringMatching(/^GREETING HOME LANG (?:OLDPWD )?PATH (?:PWD )?SVC_OUTPUTS_JSON TMPDIR/),
    ]);
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'active', runtimeSafety: 'safe' });
    const { body } = await harness.http.get<{ releaseActivator: boolean }>('/api/v1/capabilities');
    expect(body.releaseActivator).toBe(true);
  });

  it('get variables that a shell reserves, and no shell runs their arguments', async () => {
    const env = { UID: '1000', OPTIND: 'x', IFS: 'a' };
    const reserved = actionOf('reserved', ['env'], { env });
    const { plan } = await planned('reserved', [reserved]);
    const applied = await applyPlan(harness, plan);
    expect(applied.status).toBe('succeeded');
    expect(await linesOf(applied.id)).toEqual(expect.arrayContaining(['UID=1000', 'OPTIND=x', 'IFS=a']));
  });

  it.each([
    ['eval', ['eval', 'true; true']],
    ['exit', ['exit', '0']],
    ['a-name-with-an-equals-sign', ['no=program', 'true']],
  ])('that name %s, which is no program, fail', async (name, command) => {
    const { plan } = await planned(`no-${name}`, [actionOf('x', command)]);
    const { id } = await applyPlan(harness, plan);
    expect((await errorsOf(harness, id)).map((one) => one.message)).toEqual([expect.stringContaining('exit code 127')]);
  });

  it('alternate between the sandbox and the release activator in list order', async () => {
    receiver.answer(answer({ status: 'succeeded', healthUrl: 'https://app.example/healthz' }));
    const announce = actionOf('announce', ['announce'], { executor: 'operator' });
    const { plan } = await planned('both', [shellAction('first', 'true'), announce, shellAction('last', 'true')]);
    const applied = await applyPlan(harness, plan);
    expect(await actionEndsOf(harness, applied.id)).toEqual([
      'post_apply.succeeded first',
      'post_apply.succeeded announce',
      'post_apply.succeeded last',
    ]);
    expect(await linesOf(applied.id)).toContain('Action announce is healthy: https://app.example/healthz');
  });

  it('that fail keep the state, and the Capsule recovers by a plan and an apply', async () => {
    const { plan, capsuleId } = await planned('retry', [shellAction('smoke', 'test -e ok || exit 3')]);
    const applied = await applyPlan(harness, plan);
    expect(applied).toMatchObject(failed);
    expect(await errorsOf(harness, applied.id)).toMatchObject([
      {
        code: failed.errorCode,
        message: 'Action "smoke" did not succeed. The action ended with exit code 3. Its lines are in the log.',
      },
    ]);
    const broken = { status: 'error', runtimeSafety: 'unknown', currentStateGeneration: 1 };
    expect(await getCapsule(harness, capsuleId)).toMatchObject(broken);
    const again = await applyPlan(harness, await planAgain(harness, capsuleId));
    expect(again).toMatchObject(failed);
    expect((await getCapsule(harness, capsuleId)).currentStateGeneration).toBe(2);
  });

  it.each([
    ['a program that does not exist', ['no-such-program'], /exit code 127 \(command not found\)/],
    ['a file that may not be executed', ['./main.tf'], /exit code 126 \(permission denied\)/],
    ['a missing folder', ['true'], /no working folder: "gone" is not a folder/],
  ])('fail with the reason for %s', async (name, command, message) => {
    const more = name === 'a missing folder' ? { workingDirectory: 'gone' } : {};
    const { plan } = await planned(name.replaceAll(' ', '-'), [actionOf('x', command, more)]);
    const { id } = await applyPlan(harness, plan);
    expect((await errorsOf(harness, id)).map((one) => one.message)).toEqual([expect.stringMatching(message)]);
  });

  it('that take too long get SIGTERM and may clean up', async () => {
    const script = 'trap "echo cleaned; exit 0" TERM; echo waiting; while :; do sleep 0.1; done';
    const { plan } = await planned('slow', [shellAction('slow', script, { timeoutSeconds: 1 })]);
    const applied = await applyPlan(harness, plan);
    expect(applied).toMatchObject(failed);
    expect(await linesOf(applied.id)).toContain('cleaned');
    expect((await errorsOf(harness, applied.id))[0]?.message).toContain('took longer than its 1 seconds');
  });

  it('that run are interrupted with their Run', async () => {
    const { plan, capsuleId } = await planned('held', [shellAction('hold', 'echo held; sleep 600')]);
    const apply = await startApply(harness, plan);
    while (!(await linesOf(apply.id)).includes('held')) await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await harness.http.post(`/api/v1/runs/${apply.id}/cancel`, {})).status).toBe(409);
    expect((await harness.http.post(`/api/v1/runs/${apply.id}/cancel`, { interrupt: true })).status).toBe(200);
    expect(await settled(harness.server, apply.id)).toMatchObject(failed);
    expect(await getCapsule(harness, capsuleId)).toMatchObject({ status: 'error', runtimeSafety: 'unknown' });
  });
});

describe('actions before a destroy', () => {
  it('that do not succeed block it and leave the state', async () => {
    const { plan, capsuleId } = await planned('blocked', [shellAction('drain', 'exit 3', { phase: 'pre_destroy' })]);
    expect(await applyPlan(harness, plan)).toMatchObject({ status: 'succeeded' });
    const destroy = await applyPlan(harness, await planDestroy(harness, capsuleId));
    expect(destroy).toMatchObject(failed);
    const unsafe = { status: 'active', runtimeSafety: 'unknown', currentStateGeneration: 1 };
    expect(await getCapsule(harness, capsuleId)).toMatchObject(unsafe);
  });

  it('that succeed let it go on', async () => {
    const { plan, capsuleId } = await planned('drained', [shellAction('drain', 'true', { phase: 'pre_destroy' })]);
    await applyPlan(harness, plan);
    const { id } = await applyPlan(harness, await planDestroy(harness, capsuleId));
    expect(await getRun(harness, id)).toMatchObject({ status: 'succeeded', type: 'destroy_apply' });
    expect((await getCapsule(harness, capsuleId)).status).toBe('destroyed');
  });
});
