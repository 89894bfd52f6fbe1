import type { RunGroup, RunGroupGraph } from '#shared/run-groups/contract';
import { newestOfEach } from '#shared/run-groups/newest-of-each';
import type { RunRow } from '#shared/runs/contract';
import { isAtWork } from '../../api/run-record.ts';

export const memberStates = ['decide', 'work', 'failed', 'done'] as const;
/** `decide`: its plan waits for a person. `failed`: its newest Run did not succeed. */
export type MemberState = (typeof memberStates)[number];

export function memberStateOf({ status, awaits }: Pick<RunRow, 'status' | 'awaits'>): MemberState {
  if (isAtWork(status)) return 'work';
  if (awaits !== undefined || status === 'waiting_approval') return 'decide';
  return status === 'succeeded' ? 'done' : 'failed';
}

/** Returns the newest Run of each member, layer by layer. */
export function layersOf({ graphJson }: RunGroup, runs: readonly RunRow[]): RunRow[][] {
  const { order } = JSON.parse(graphJson) as RunGroupGraph;
  const runOf = new Map(newestOfEach(runs).map((run) => [run.capsuleId, run]));
  return order.map((layer) => layer.flatMap((capsuleId) => runOf.get(capsuleId) ?? []));
}

export const countStates = (members: readonly RunRow[]): Record<MemberState, number> => {
  const counts = { decide: 0, work: 0, failed: 0, done: 0 };
  for (const member of members) counts[memberStateOf(member)] += 1;
  return counts;
};
