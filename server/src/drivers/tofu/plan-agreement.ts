import { type Change, isForgetting, isNoOp, kindOf } from '#shared/plans/change';
import type { PlanSummary } from '#shared/plans/summary';
import type { PlannedEvent, StreamEvent, ToolName } from './types.ts';

/**
 * Changes of a plan, from its document or from the stream of the command that made it: how often each change occurs, by
 * `changeKey`, and the action of each root Output, both in the terms of the stream.
 */
export type PlanChanges = {
  changes: ReadonlyMap<string, number>;
  drift: ReadonlyMap<string, number>;
  outputs: ReadonlyMap<string, string>;
  summary: PlanSummary;
};

/** Maximum number of events of a plan that a person can review. */
const maxEvents = 1_000_000;

export type StreamedPlan = {
  take(event: StreamEvent): void;
  /**
   * Returns the first difference between a document and the stream, as the end of a sentence; undefined when they
   * agree.
   */
  findDisagreement(document: PlanChanges, tool: ToolName): string | undefined;
};

/** Collects the tool's events during a plan, to compare the document of the saved plan with them. */
export function createStreamedPlan(): StreamedPlan {
  const changes = new Map<string, number>();
  const drift = new Map<string, number>();
  let outputs: ReadonlyMap<string, string> = new Map();
  const summaries: PlanSummary[] = [];
  let events = 0;
  return {
    take(event) {
      if (event.kind === 'planned' && events < maxEvents) {
        events += 1;
        count(event.isDrift ? drift : changes, changeKey(event));
      } else if (event.kind === 'outputs') outputs = event.actions;
      else if (event.kind === 'summary' && event.operation === 'plan' && summaries.length < 2) summaries.push(event);
    },
    findDisagreement(document, tool) {
      const [summary, second] = summaries;
      if (events >= maxEvents) return 'more changes were reported than a plan may have';
      if (summary === undefined || second !== undefined) return 'the totals were not reported exactly once';
      return (
        findDifference('change of', changes, document.changes) ??
        findDifference('change outside of', drift, document.drift) ??
        findOutput(outputs, document.outputs) ??
        (isSameSummary(summary, document.summary, tool) ? undefined : 'the totals differ')
      );
    },
  };
}

/** Identifies a change: its address, its action, the address before, and whether it is an import. */
export const changeKey = ({ address, action, previousAddress = '', isImport }: PlannedEvent): string =>
  JSON.stringify([address, action, previousAddress, isImport]);

export function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const addressOf = (key: string): string => (JSON.parse(key) as [string])[0];

function findDifference(
  what: string,
  streamed: ReadonlyMap<string, number>,
  documented: ReadonlyMap<string, number>,
): string | undefined {
  for (const [key, times] of documented)
    if ((streamed.get(key) ?? 0) !== times) return `the ${what} ${addressOf(key)} was not reported so`;
  for (const key of streamed.keys())
    if (!documented.has(key)) return `the reported ${what} ${addressOf(key)} is not in it`;
  return undefined;
}

function findOutput(
  streamed: ReadonlyMap<string, string>,
  documented: ReadonlyMap<string, string>,
): string | undefined {
  const names = new Set([...streamed.keys(), ...documented.keys()]);
  const name = [...names].find((one) => streamed.get(one) !== documented.get(one));
  return name === undefined ? undefined : `the Output ${name} was not reported so`;
}

/** Compares totals. Terraform does not count forgotten resources. */
const isSameSummary = (streamed: PlanSummary, documented: PlanSummary, tool: ToolName): boolean =>
  streamed.add === documented.add &&
  streamed.change === documented.change &&
  streamed.destroy === documented.destroy &&
  (streamed.import ?? 0) === (documented.import ?? 0) &&
  (tool === 'terraform' || (streamed.forget ?? 0) === (documented.forget ?? 0));

/**
 * Returns the action of a change as the stream names it. A replace that forgets the old object has no name of its own
 * there.
 */
function streamedAction(change: Change): string {
  const kind = kindOf(change);
  if (isNoOp(change) || (kind === 'replace' && isForgetting(change))) return 'noop';
  return kind === 'forget' ? 'remove' : kind;
}

type Documented = Change & { readonly address: string; readonly importing?: unknown };

/**
 * Returns the change of a document as the stream reports it. There, a move or an import without another action is an
 * action.
 */
export function toPlannedEvent(change: Documented): PlannedEvent {
  const { address, previousAddress } = change;
  const isImport = change.importing !== undefined;
  const isMoved = previousAddress !== undefined;
  const action = streamedAction(change);
  return {
    address,
    action: action !== 'noop' ? action : isMoved ? 'move' : isImport ? 'import' : 'noop',
    ...(isMoved && { previousAddress }),
    isImport,
  };
}

/** Returns the actions of the root Outputs of a document as the stream reports them. */
export const toOutputActions = (outputs: readonly (Change & { name: string })[]): Map<string, string> =>
  new Map(outputs.map((output) => [output.name, streamedAction(output)]));
