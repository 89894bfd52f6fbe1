import { randomUUID } from 'node:crypto';
import { identityApi } from '#shared/identity/api';
import type { InstallPlanAnswer } from '#shared/install-plans/api';
import type { InstallPhase } from '#shared/install-plans/contract';
import { createClient } from '#shared/kernel/client';
import { readStream } from '#shared/kernel/event-stream';
import { reconcileToEnd } from '#shared/kernel/reconcile';
import type { Run } from '#shared/runs/contract';
import { type Api, connect } from './api.ts';
import { summaryText } from './client/plan-text.ts';
import { createSend } from './http-send.ts';

type DemoInstallInput = { server: { url: string; operatorToken: string }; gitUrl: string; say: (line: string) => void };

/** Prints each step with its duration. */
const createSteps = (say: (line: string) => void) => {
  let last = performance.now();
  return (text: string) => {
    const now = performance.now();
    say(`${String(Math.round(now - last)).padStart(6)} ms  ${text}`);
    last = now;
  };
};

/** Installs the sample from its Git address to its Outputs, as any client of the public API would. Returns true on success. */
export async function installSample({ server, gitUrl, say }: DemoInstallInput): Promise<boolean> {
  const step = createSteps(say);
  const identity = createClient(identityApi, createSend(server.url, server.operatorToken));
  const { body: issued } = await identity.issueSession({ body: {} });
  const client = connect(createSend(server.url, issued.session.token));
  const { body: able } = await client.getCapabilities({});
  step(`signed in; ${able.runner.toolName} ${able.runner.toolVersion}, sandbox ${able.runner.sandbox}`);
  if (able.runner.toolName === 'terraform')
    say('           OpenTofu was not found, so the declared fallback terraform is used.');
  const { body: home } = await client.listWorkspaces({});
  const [workspace] = home.workspaces;
  if (!workspace) throw new Error('The account of the demo has no Workspace.');
  const workspaceId = workspace.id;
  const planRun = await install({ client, workspaceId, gitUrl, step });
  if (!planRun) return false;
  const applied = await approveAndApply({ client, plan: planRun, step, token: issued.session.token, url: server.url });
  if (applied.status !== 'succeeded' || !applied.capsuleId) return false;
  await showOutputs(client, applied.capsuleId, say);
  return true;
}

const phaseTexts: Record<InstallPhase, string> = {
  syncing_source: 'syncing the Source',
  compiling_install: 'Source synced and scanned',
  analyzing_compatibility: 'module chosen',
  creating_capsule: 'compatibility checked',
  planning: 'Capsule created, planning',
  reviewable: 'plan is reviewable',
  failed: 'installation failed',
};

type Install = { client: Api; workspaceId: string; gitUrl: string; step: (text: string) => void };

async function install({ client, workspaceId, gitUrl, step }: Install): Promise<Run | undefined> {
  const body = {
    source: { name: 'hello', url: gitUrl, ref: 'main', path: '.' },
    capsule: { name: 'hello', environment: 'default' },
    variables: { names: ['Ada', 'Grace', 'Linus'], passphrase: randomUUID() },
  };
  const key = { 'idempotency-key': randomUUID() };
  const { body: first } = await client.createInstallPlan({ params: { workspaceId }, body }, key);
  const params = { installPlanId: first.installPlan.id };
  let shown: InstallPhase | undefined;
  const answer = await reconcileToEnd<InstallPlanAnswer>(
    { reconcile: () => client.reconcileInstallPlan({ params }), read: () => client.getInstallPlan({ params }) },
    {
      signal: new AbortController().signal,
      first,
      onAnswer: ({ installPlan: { phase } }) => {
        if (phase !== shown) step(phaseTexts[phase]);
        shown = phase;
      },
    },
  );
  const { planRunId, phase, diagnostic } = answer.installPlan;
  if (phase === 'reviewable' && planRunId) return (await client.getRun({ params: { runId: planRunId } })).body.run;
  step(`${diagnostic?.code}: ${diagnostic?.message}`);
  return undefined;
}

type Review = { client: Api; plan: Run; step: (text: string) => void; url: string; token: string };

async function approveAndApply({ client, plan, step, url, token }: Review): Promise<Run> {
  if (plan.summary) step(`the plan: ${summaryText(plan.summary)}`);
  if (plan.requiresApproval) {
    await client.approveRun({ params: { runId: plan.id }, body: { reason: 'demo' } });
    step('approved');
  }
  const { body } = await client.applyRun({
    params: { runId: plan.id },
    body: { ...(plan.planDigest && { planDigest: plan.planDigest }) },
  });
  await followToEnd(`${url}/api/v1/runs/${body.run.id}/events`, token);
  const { run } = (await client.getRun({ params: { runId: body.run.id } })).body;
  step(`applied: ${run.status}${run.errorCode ? ` (${run.errorCode})` : ''}`);
  return run;
}

/** Reads the event stream of the Run to its end, as a waiting client does. */
async function followToEnd(address: string, token: string): Promise<void> {
  const open = async (signal: AbortSignal) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    const { status, body } = await fetch(address, { headers, signal });
    if (status !== 200 || !body) throw new Error(`The events of the Run were refused with ${status}.`);
    return body;
  };
  for await (const { name } of readStream({ open, signal: undefined })) if (name === 'end') return;
}

async function showOutputs(client: Api, capsuleId: string, say: (line: string) => void): Promise<void> {
  const { body: shown } = await client.getOutputs({ params: { capsuleId } });
  const { body: states } = await client.listStateVersions({ params: { capsuleId } });
  const state = states.stateVersions[0];
  say(`\nStateVersion ${state?.id}, generation ${state?.generation}, ${state?.resourceCount} resources\nOutputs:`);
  for (const [name, value] of Object.entries(shown.output?.workspaceOutputs ?? {}))
    say(`  ${name} = ${JSON.stringify(value)}`);
}
