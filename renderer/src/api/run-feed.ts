import type { AuditEvent, FeedDiagnostic, LogEntry, Phase } from '#shared/runs/feed';

export type PhaseView = {
  phase: Phase;
  state: 'started' | 'finished' | 'reused';
  startedAt: number;
  finishedAt?: number;
};
export type ResourceState = 'started' | 'progress' | 'completed' | 'errored';
export type ResourceView = {
  address: string;
  action: string;
  state: ResourceState;
  startedAt: number;
  finishedAt?: number;
};

/** All that a Run has told so far. Arrays are replaced when they change, but for `log.entries`, which only grows. */
export type RunFeed = {
  phases: readonly PhaseView[];
  resources: readonly ResourceView[];
  diagnostics: readonly FeedDiagnostic[];
  audit: readonly AuditEvent[];
  /** A new object each time that lines came; `count` is how many of `entries` it speaks of. */
  log: { readonly entries: readonly LogEntry[]; readonly count: number; readonly isComplete: boolean };
  isEnded: boolean;
  isLost: boolean;
  /** The log could not be read. */
  error: unknown;
};

type PhaseEvent = { seq: number; at: number; phase: Phase; state: PhaseView['state'] };
type ResourceEvent = { seq: number; at: number; address: string; action: string; state: ResourceState };

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

/** Gathers the items of a Run's feed, each at most once, into what a page shows. Pure but for its own memory. */
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
    // A replace comes as two halves of one address.
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
    /** Takes one event of the stream; what was seen before is left out. */
    take(name: string, data: { seq?: number }, seq: number): void {
      if (seq <= lastSeq) return;
      lastSeq = seq;
      takers[name]?.(data as never);
    },
    /** What has changed since the last look. */
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
