import { isApplyType, type Run } from '#shared/runs/contract';
import {
  idPlaceholder,
  importBlock,
  type OrphanGrade,
  orphanGradeOf,
  orphanRestCode,
  readOrphanRest,
  replacedCode,
  restartedCode,
} from '#shared/runs/orphans';
import type { RunFeed } from '../../../api/run-feed.ts';

export type Uncertain = {
  address: string;
  /** Certainty about the object; absent for those that are only listed. */
  grade?: OrphanGrade;
  block: string;
};

/** Result of an apply that did not finish: what it reported as done, and what is uncertain. */
export type Recovery = {
  cause: 'failed' | 'asked' | 'died' | 'unsaved' | 'lost' | 'other';
  created: readonly string[];
  changed: readonly string[];
  destroyed: readonly string[];
  /** Changes and destroys that were started and not reported as done; the state contains these objects. */
  unsettled: readonly string[];
  /** Objects that may exist outside the state. */
  uncertain: readonly Uncertain[];
  /** Number of further objects without a name here. */
  unnamed: number;
};

const reportedCodes: ReadonlySet<string> = new Set([orphanRestCode, replacedCode, restartedCode]);

/** Reports whether the recovery section or the restart note already shows a diagnostic. */
export const isReportedElsewhere = (code: string | undefined): boolean =>
  orphanGradeOf(code) !== undefined || (code !== undefined && reportedCodes.has(code));

/** Returns the interruptions of Ground Control that an apply outlived. */
export function outlived({ diagnostics }: Pick<RunFeed, 'diagnostics'>): { restart: boolean; supervisor: boolean } {
  const has = (code: string) => diagnostics.some((item) => item.code === code);
  return { restart: has(restartedCode), supervisor: has(replacedCode) };
}

type RecoveryFeed = Pick<RunFeed, 'resources' | 'diagnostics' | 'audit'>;

/** Returns the recovery of an apply; undefined when its provider succeeded, it is still active, or it changed nothing. */
export function recoveryOf(run: Pick<Run, 'type' | 'status' | 'errorCode'>, feed: RecoveryFeed): Recovery | undefined {
  if (!isApplyType(run.type) || run.status !== 'failed' || !isUncertainEnd(feed)) return undefined;
  const { uncertain, unnamed } = uncertainIn(feed);
  const isUncertain = new Set(uncertain.map(({ address }) => address));
  const done = (action: string) => addressesOf(feed, (view) => view.action === action && view.state === 'completed');
  const isOpen = ({ action, state }: View) => (action === 'update' || action === 'delete') && state !== 'completed';
  return {
    cause: causeOf(run, feed),
    created: done('create').filter((address) => !isUncertain.has(address)),
    changed: done('update'),
    destroyed: done('delete'),
    unsettled: addressesOf(feed, isOpen),
    uncertain,
    unnamed,
  };
}

type View = RunFeed['resources'][number];

const addressesOf = ({ resources }: RecoveryFeed, isMeant: (view: View) => boolean): string[] =>
  resources.filter(isMeant).map(({ address }) => address);

/** An action that failed after a complete apply leaves nothing of the apply to recover. */
const isUncertainEnd = ({ audit }: RecoveryFeed): boolean =>
  audit.some(
    ({ type, data }) =>
      type.endsWith('.failed') && data?.['providerDispatched'] === true && data['providerApplySucceeded'] !== true,
  );

function causeOf({ errorCode }: Pick<Run, 'errorCode'>, { audit }: RecoveryFeed): Recovery['cause'] {
  if (errorCode === 'apply_failed') return 'failed';
  if (errorCode === 'state_save_failed') return 'unsaved';
  if (errorCode === 'run_execution_lease_lost') return 'lost';
  if (errorCode !== 'apply_interrupted') return 'other';
  return audit.some(({ type }) => type === 'apply.interrupt_requested') ? 'asked' : 'died';
}

function uncertainIn({ diagnostics }: RecoveryFeed): Pick<Recovery, 'uncertain' | 'unnamed'> {
  const uncertain: Uncertain[] = [];
  let unnamed = 0;
  for (const { code, message, detail = '', address } of diagnostics) {
    const grade = orphanGradeOf(code);
    if (grade && address !== undefined) uncertain.push({ address, grade, block: detail });
    if (code !== orphanRestCode) continue;
    const listed = detail.split('\n').filter((line) => line !== '');
    for (const one of listed) uncertain.push({ address: one, block: importBlock(one, idPlaceholder(typeOf(one))) });
    unnamed += Math.max(0, readOrphanRest(message) - listed.length);
  }
  return { uncertain, unnamed };
}

/** Returns the type in an address such as `module.m["k"].aws_vpc.main[0]`. */
export const typeOf = (address: string): string =>
  /(?:^|\.)([\w-]+)\.[\w-]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?$/.exec(address)?.[1] ?? 'resource';
