import { parentPort } from 'node:worker_threads';
import { inflateRawSync } from 'node:zlib';
import { unpackText } from '#server/kernel/packed';
import { isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { isPlanAction } from '#shared/plans/change';
import { changesOf, type PlannedChange, type ResourceChange } from './changes.ts';
import { addMarks, type LateMarks, noLateMarks } from './late-marks.ts';
import { projectAddresses, projectState } from './project.ts';
import { type IndexEntry, type ProjectionHead, packJson, unpackJson } from './stored.ts';

type Common = { state: Uint8Array; secrets: readonly string[]; digestKey: string };
/** Everything that was opened for the projection of a StateVersion; texts are compressed. */
export type ProjectionRequest = Common & {
  kind: 'project';
  generation: number;
  /** The state before: its projection, or the state itself where it has none. */
  before: { head: Uint8Array } | { state: Uint8Array } | undefined;
  /** Document of the plan that was applied, deflated. */
  plan: Uint8Array | undefined;
  lateMarks: Uint8Array | undefined;
};
export type AddressesRequest = Common & { kind: 'addresses' };
export type WorkerRequest = ProjectionRequest | AddressesRequest;
export type ProjectionAnswer = {
  head: Uint8Array;
  pages: Uint8Array[];
  lateMarks: Uint8Array;
  resourceCount: number;
  failedChecks: number;
  changes: ResourceChange[];
};
export type WorkerAnswer = ProjectionAnswer | { addresses: Uint8Array } | { failure: string };

export function answer(request: WorkerRequest): WorkerAnswer {
  const text = unpackText(Buffer.from(request.state));
  if (request.kind === 'addresses') return { addresses: packJson(projectAddresses(text, request)) };
  const { head, pages, marks } = projectState(text, request);
  const changes = changesOf(indexBefore(request), head.index, plannedIn(request.plan));
  const known = request.lateMarks ? unpackJson<LateMarks>(Buffer.from(request.lateMarks)) : noLateMarks;
  const moves = changes.flatMap(({ address: to, previousAddress: from }) => (from === undefined ? [] : [{ from, to }]));
  return {
    head: packJson(head),
    pages: pages.map(packJson),
    lateMarks: packJson(addMarks(known, { generation: request.generation, marks, moves })),
    resourceCount: head.index.length,
    failedChecks: head.checks.filter(
      ({ kind, status }) => kind === 'check' && status !== 'pass' && status !== 'unknown',
    ).length,
    changes,
  };
}

function indexBefore({ before, ...common }: ProjectionRequest): readonly IndexEntry[] {
  if (before === undefined) return [];
  if ('head' in before) return unpackJson<ProjectionHead>(Buffer.from(before.head)).index;
  return projectState(unpackText(Buffer.from(before.state)), common).head.index;
}

/** Changes of a plan document. One that cannot be read announces nothing. */
function plannedIn(plan: Uint8Array | undefined): PlannedChange[] {
  if (plan === undefined) return [];
  const resources = resourcesIn(plan);
  if (!Array.isArray(resources)) return [];
  return resources.flatMap((item: Json) =>
    isJsonObject(item) && item['deposed'] === undefined ? [plannedOf(item)] : [],
  );
}

function resourcesIn(plan: Uint8Array): Json | undefined {
  try {
    return (JSON.parse(inflateRawSync(plan).toString()) as JsonObject)['resources'];
  } catch {
    return undefined;
  }
}

function plannedOf({ address, actions, previousAddress }: JsonObject): PlannedChange {
  return {
    address: String(address),
    actions: Array.isArray(actions) ? actions.filter(isPlanAction) : [],
    ...(typeof previousAddress === 'string' && { previousAddress }),
  };
}

const port = parentPort;
port?.on('message', (request: WorkerRequest) => {
  try {
    port.postMessage(answer(request));
  } catch (error) {
    // The text of an error may hold a part of the state, so only its kind is returned.
    port.postMessage({ failure: error instanceof Error ? error.name : 'Error' } satisfies WorkerAnswer);
  }
});
