import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunsService } from '#server/domains/runs/index';
import type { Activator } from '#server/drivers/activator/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import { createRedactor } from '#server/runner/index';
import { activatorDefaultSeconds, lifecycleDefaultSeconds } from '#shared/install-configs/lifecycle';
import type { Json, JsonObject } from '#shared/kernel/json';
import { type ActivationRequest, activationKind } from '#shared/lifecycle/activation';
import { findSecretLike, findSecretLikeKey, isSecretLike, isSecretLikeKey } from '#shared/secret-like';
import { type ActionEnd, lineItem, type RunAction } from './action-end.ts';
import type { ActionInput } from './action-input.ts';
import type { LifecycleStore } from './store.ts';

/** Number of times that an answer is recorded while the ledger rejects writes, and the pause between them. */
const maxRecordings = 300;
const recordingPauseMs = 1_000;
const messageMaxLength = 1_024;

type Deps = {
  db: Db;
  clock: Clock;
  /** Absent when the operator has not set one up. */
  activator: Activator | undefined;
  /** The bearer of the activator, which an answer must not repeat into a log. */
  activatorToken: string | undefined;
  runs: Pick<RunsService, 'append' | 'getCapsuleRun'>;
  store: LifecycleStore;
  inputOf: (run: RunAction['run']) => ActionInput;
  end: (one: RunAction, end: ActionEnd) => void;
};

const withoutActivator: ActionEnd = {
  result: 'failed',
  message: 'This server has no release activator. Set SVC_RELEASE_ACTIVATOR_URL and SVC_RELEASE_ACTIVATOR_TOKEN.',
};
const interrupted: ActionEnd = { result: 'failed', message: 'The Run was interrupted before the request was sent.' };
const unanswered: ActionEnd = {
  result: 'failed',
  message:
    'The server ended, or could not record the answer, after the request was sent. The answer is unknown, and the request is not sent again.',
  isEndKnown: false,
};
const secretInside: ActionEnd = {
  result: 'failed',
  message:
    'The request would contain a text that looks like a credential, so it was not sent. Correct the action or the provider configuration.',
};

/** Sends actions of the executor `operator` to the release activator, from this server and each at most once. */
export function createOperatorActions(deps: Deps) {
  const { db, clock, activator, runs, store, end } = deps;

  /** Filters a text of an answer, because it may quote anything. */
  function clean(text: string, { secrets }: ActionInput): string {
    const token = deps.activatorToken === undefined ? [] : [deps.activatorToken];
    const shown = createRedactor([...secrets, ...token])
      .text(text)
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
      .trim();
    return isSecretLike(shown) ? '[redacted]' : shown.slice(0, messageMaxLength);
  }

  /** Records the dispatch, which the commit makes durable, and sends the request once. */
  async function send(one: RunAction, dispatch: Dispatch, signals: Signals): Promise<void> {
    const { client, request, input } = dispatch;
    signals.stopping.throwIfAborted();
    db.write(() => {
      store.update(one.key, { invoked: true, isEndKnown: false, evidence: input.evidence });
      runs.append(one.run.id, [lineItem(clock.now(), `Action ${one.action.id} is sent to the release activator.`)]);
    });
    failpoint('lifecycle.sent');
    const answer = await client.send(
      {
        key: `${one.run.id}:${one.action.id}`,
        requestId: randomUUID(),
        body: JSON.stringify(request),
        timeoutMs: (one.action.timeoutSeconds ?? activatorDefaultSeconds) * 1_000,
      },
      AbortSignal.any([signals.stopping, signals.cancelled]),
    );
    failpoint('lifecycle.answered');
    // The next start records that the answer is unknown.
    signals.stopping.throwIfAborted();
    const reached = endOf(answer, (text) => clean(text, input));
    await record(() => end(one, reached), signals.stopping);
  }

  return async (one: RunAction, signals: Signals): Promise<void> => {
    if (store.find(one.key)?.invoked === true) return end(one, unanswered);
    if (activator === undefined) return end(one, withoutActivator);
    if (runs.getCapsuleRun(one.run.id).input.cancelledBy !== undefined) return end(one, interrupted);
    const input = deps.inputOf(one.run);
    const request = requestOf(one, input);
    if (request === undefined) return end(one, noState);
    if (looksSecretAnywhere(request)) return end(one, secretInside);
    await send(one, { client: activator, request, input }, signals);
  };
}

/** Records an answer, which is only in memory: a full disk must not turn a success into a failure. */
async function record(write: () => void, stopping: AbortSignal): Promise<void> {
  for (let recordings = 1; ; recordings += 1) {
    try {
      return write();
    } catch (error) {
      if (!isLedgerFault(error) || recordings >= maxRecordings) throw error;
      await sleep(recordingPauseMs, undefined, { signal: stopping });
    }
  }
}

type Dispatch = { client: Activator; request: ActivationRequest; input: ActionInput };

function endOf(answer: Awaited<ReturnType<Activator['send']>>, clean: (text: string) => string): ActionEnd {
  if (answer.status === 'succeeded') {
    const { healthUrl } = answer;
    return { result: 'succeeded', evidence: healthUrl === undefined ? {} : { healthUrl: clean(healthUrl) } };
  }
  const message = answer.message === undefined ? '' : clean(answer.message);
  // What is pending may still have an effect, and so may a request whose answer is missing.
  const isEndKnown = answer.status !== 'pending' && !('isUnanswered' in answer);
  return { result: answer.status, ...(message !== '' && { message }), isEndKnown };
}

/** `stopping` ends the server, `cancelled` interrupts the Run. */
export type Signals = { stopping: AbortSignal; cancelled: AbortSignal };

const noState: ActionEnd = {
  result: 'failed',
  message: 'The Capsule has no current Output, so the request cannot be built. Plan and apply again.',
};

function requestOf({ run, action }: RunAction, input: ActionInput): ActivationRequest | undefined {
  const { output, stateVersionId, providerConfigurations } = input;
  if (output === undefined || stateVersionId === undefined) return undefined;
  const { id, phase, command, workingDirectory, timeoutSeconds = lifecycleDefaultSeconds } = action;
  return {
    kind: activationKind,
    workspaceId: run.workspaceId,
    capsuleId: run.capsuleId,
    capsuleName: run.capsuleName ?? '',
    environment: run.facts.environment ?? '',
    stateVersionId,
    stateGeneration: output.stateGeneration,
    outputId: output.id,
    outputDigest: output.outputDigest,
    runId: run.id,
    planRunId: run.planRunId,
    sourceSnapshotId: run.input.sourceSnapshotId,
    resolvedCommit: run.facts.resolvedCommit ?? '',
    action: { id, phase, command, ...(workingDirectory !== undefined && { workingDirectory }), timeoutSeconds },
    outputs: publicOutputs(input.outputs),
    ...(providerConfigurations && { providerConfigurations }),
  };
}

/** Leaves out Outputs whose name, or any part of whose value, looks like a credential. */
export const publicOutputs = (outputs: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(outputs).filter(([name, value]) => !isSecretLikeKey(name) && !looksSecret(value as Json)),
  ) as JsonObject;

const looksSecret = (value: Json): boolean =>
  findSecretLikeKey(value) !== undefined || findSecretLike(value) !== undefined;

/** Checks the whole request once more before it leaves the server. */
function looksSecretAnywhere({ providerConfigurations, ...request }: ActivationRequest): boolean {
  const configurations = (providerConfigurations?.providers ?? []).map(({ configuration }) => configuration);
  return configurations.some(looksSecret) || findSecretLike(request as unknown as Json) !== undefined;
}
