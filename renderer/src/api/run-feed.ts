import type { AuditEvent, FeedDiagnostic, LogEntry, Phase } from '#shared/runs/feed';
import { machineBackCode, restartedCode, silentMachineCode } from '#shared/runs/orphans';

export type PhaseView = {
  phase: Phase;
  state: 'started' | 'finished' | 'reused';
  startedAt: number;
  finishedAt?: number;
};
type ResourceState = 'started' | 'progress' | 'completed' | 'errored';
export type ResourceView = {
  address: string;
  action: string;
  state: ResourceState;
  startedAt: number;
  finishedAt?: number;
};

/**
 * Everything that a Run has reported so far. Arrays are replaced when they change, except `log.entries`, which only
 * grows.
 */
export type RunFeed = {
  phases: readonly PhaseView[];
  resources: readonly ResourceView[];
  diagnostics: readonly FeedDiagnostic[];
  audit: readonly AuditEvent[];
  /** A new object each time lines arrive; `count` is the number of valid `entries`. */
  log: { readonly entries: readonly LogEntry[]; readonly count: number; readonly isComplete: boolean };
  isEnded: boolean;
  isLost: boolean;
  /** The log could not be read. */
  error: unknown;
};

type PhaseEvent = { seq: number; at: number; phase: Phase; state: PhaseView['state'] };
type ResourceEvent = { seq: number; at: number; address: string; action: string; state: ResourceState };

/** Codes after which it is known whether the machine reports; a restarted server has to find out again. */
const machineCodes: readonly (string | undefined)[] = [silentMachineCode, machineBackCode, restartedCode];

/** Reports whether the machine of an apply has stopped reporting and has not come back. */
export const isMachineSilent = ({ diagnostics }: Pick<RunFeed, 'diagnostics'>): boolean =>
  diagnostics.findLast(({ code }) => machineCodes.includes(code))?.code === silentMachineCode;

export const emptyFeed: RunFeed = {
  phases: [],
  resources: [],
  diagnostics: [],
  audit: [],
  log: { entries: [], count: 0, isComplete: false },
  isEnded: false,
  isLost: false,
  error: undefined,
};

/**
 * Collects the items of a Run's feed, each at most once, into the state of a page. It has no effects outside its own
 * state.
 */
export function createFeedBook() {
  const phases = new Map<string, PhaseView>();
  const resources = new Map<string, ResourceView>();
  const diagnostics: FeedDiagnostic[] = [];
  const audit: AuditEvent[] = [];
  const entries: LogEntry[] = [];
  const dirty = new Set<'phases' | 'resources' | 'diagnostics' | 'audit' | 'log'>();
  let lastSeq = 0;
  let wasComplete = false;

  const takePhase = ({ phase, state, at }: PhaseEvent) => {
    const startedAt = state === 'started' ? at : (phases.get(phase)?.startedAt ?? at);
    phases.set(phase, { phase, state, startedAt, ...(state !== 'started' && { finishedAt: at }) });
    dirty.add('phases');
  };
  const takeResource = ({ address, action, state, at }: ResourceEvent) => {
    // A replace arrives as two halves of one address.
    const key = `${action} ${address}`;
    const startedAt = state === 'started' ? at : (resources.get(key)?.startedAt ?? at);
    const isOver = state === 'completed' || state === 'errored';
    resources.set(key, { address, action, state, startedAt, ...(isOver && { finishedAt: at }) });
    dirty.add('resources');
  };
  const takers: Record<string, (data: never) => void> = {
    phase: takePhase,
    resource: takeResource,
    diagnostic: (data: FeedDiagnostic) => {
      diagnostics.push(data);
      dirty.add('diagnostics');
    },
    log: (data: LogEntry) => {
      entries.push(data);
      dirty.add('log');
    },
    audit: (data: AuditEvent) => {
      audit.push(data);
      dirty.add('audit');
    },
  };
  return {
    /** Adds one event of the stream. Events that were added before are ignored. */
    take(name: string, data: { seq?: number }, seq: number): void {
      if (seq <= lastSeq) return;
      lastSeq = seq;
      takers[name]?.(data as never);
    },
    /** Returns what changed since the previous call. */
    changes(isComplete: boolean): Partial<RunFeed> {
      const update: Partial<RunFeed> = {
        ...(dirty.has('phases') && { phases: [...phases.values()] }),
        ...(dirty.has('resources') && { resources: [...resources.values()] }),
        ...(dirty.has('diagnostics') && { diagnostics: [...diagnostics] }),
        ...(dirty.has('audit') && { audit: [...audit] }),
        ...((dirty.has('log') || isComplete !== wasComplete) && {
          log: { entries, count: entries.length, isComplete },
        }),
      };
      wasComplete = isComplete;
      dirty.clear();
      return update;
    },
  };
}
