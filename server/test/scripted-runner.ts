import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encryptionNames, sealState } from '../src/drivers/tofu/index.ts';
import { digestOf } from '../src/kernel/digest.ts';
import type { ExecutionSpec, JournalRecord, Outcome, Runner } from '../src/runner/index.ts';

type Taker = Parameters<Runner['follow']>[1];

/** A simulated supervisor: it has accepted a spec, and reports as the test directs. */
export type ScriptedRun = {
  spec: ExecutionSpec;
  isAlive: boolean;
  isCancelled: boolean;
  isSpawned: boolean;
  /** Ended by an outcome. */
  isOver: boolean;
  /** Journal records so far; a later follower reads them from its offset on. */
  journal: JournalRecord[];
};

export type ScriptedRunner = Runner & {
  /** Every Run that was handed over, by its id; the newest supervisor of each. */
  readonly startedRuns: ReadonlyMap<string, ScriptedRun>;
  /** The supervisor writes to its journal. */
  say(runId: string, record: JournalRecord): void;
  /** Ends a Run with an outcome: of a plan with its files, of an apply with a state. */
  end(runId: string, outcome: Outcome): void;
  /** Ends the supervisor; its tool, if there was one, counts as gone. */
  lose(runId: string): void;
  /** Thrown once by a start that has still handed over its spec. */
  startFault: Error | undefined;
  /** Called at the moment when specs that were not started become void. */
  onWithdraw: (runId: string) => void;
  /** True when a tool continues in the folder of a Capsule without its supervisor. */
  isToolAlive: boolean;
  /** Removes every Run that was handed over. */
  clear(): void;
};

/**
 * Replaces the runner: a schedule of events decides what each supervisor does and when, instead of a process. Offsets
 * count records. Their signal stops followers of an earlier server, as it does the real ones.
 */
export function createScriptedRunner(): ScriptedRunner {
  const startedRuns = new Map<string, ScriptedRun>();
  const { ring, nextRing } = createBells();
  const find = (runDir: string) => startedRuns.get(path.basename(runDir));
  async function follow(runDir: string, { fromOffset, onRecords, signal }: Taker): Promise<'ended' | 'lost'> {
    const runId = path.basename(runDir);
    for (let offset = fromOffset; ; ) {
      signal?.throwIfAborted();
      const run = find(runDir);
      const wasAlive = run?.isAlive === true;
      const records = run?.journal.slice(offset) ?? [];
      offset += records.length;
      if (records.length > 0) await onRecords(records, offset);
      if (records.some(({ t }) => t === 'outcome')) return 'ended';
      if (!wasAlive) return 'lost';
      // It may have rung while the records were taken.
      if (isWaiting(find(runDir), offset)) await nextRing(runId, signal);
    }
  }
  const say = (runId: string, record: JournalRecord) => {
    const run = startedRuns.get(runId);
    if (run?.isAlive !== true) return;
    run.journal.push(record);
    if (record.t === 'spawned') run.isSpawned = true;
    if (record.t === 'outcome') Object.assign(run, { isAlive: false, isOver: true });
    ring(runId);
  };
  const scripted = {
    startFault: undefined as Error | undefined,
    onWithdraw: (_runId: string): void => {},
    isToolAlive: false,
    startedRuns,
    say,
    end: (runId: string, outcome: Outcome) => say(runId, { t: 'outcome', at: 0, outcome }),
    lose(runId: string) {
      const run = startedRuns.get(runId);
      if (run) run.isAlive = false;
      ring(runId);
    },
    async start(spec: ExecutionSpec) {
      mkdirSync(spec.runDir, { recursive: true });
      // The folder of an action is named after its Run and its place in the list.
      const id = path.basename(spec.runDir);
      const before = spec.mode === 'adopt' ? startedRuns.get(id) : undefined;
      const fresh = { isCancelled: false, isSpawned: false, isOver: false, journal: [] };
      startedRuns.set(id, { ...fresh, ...before, spec, isAlive: true });
      say(id, { t: 'started', at: 0, formatVersion: 1, identity: { pid: 2, startTime: '', bootId: '' } });
      const fault = scripted.startFault;
      scripted.startFault = undefined;
      if (fault) throw fault;
    },
    clear: () => startedRuns.clear(),
    follow,
    isAlive: (runDir: string) => find(runDir)?.isAlive === true,
    withdraw: (runDir: string) => scripted.onWithdraw(path.basename(runDir)),
    endLeftovers: async () => !scripted.isToolAlive,
    endAllLeftovers: async () => {},
    truncateTornTail: () => undefined,
    cancel(runDir: string) {
      const run = find(runDir);
      if (run?.isAlive !== true) return false;
      run.isCancelled = true;
      return true;
    },
    probe: async () => ({ sandbox: 'none', network: 'none' }),
    warm: () => {},
    close: async () => {},
  };
  return scripted as unknown as ScriptedRunner;
}

/** Reports whether a Run has written no more than `offset` records and still lives. */
const isWaiting = (run: ScriptedRun | undefined, offset: number): boolean =>
  run?.isAlive === true && run.journal.length <= offset;

/** Creates the bells that wake the followers of each Run. Nothing is left of a follower that has stopped. */
function createBells() {
  const bells = new Map<string, Set<(value?: unknown) => void>>();
  return {
    ring(runId: string): void {
      for (const wake of bells.get(runId) ?? []) wake();
    },
    async nextRing(runId: string, signal: AbortSignal | undefined): Promise<void> {
      // The server may have stopped while the records were taken.
      if (signal?.aborted) return;
      const { promise, resolve: wake } = Promise.withResolvers<unknown>();
      const waiting = bells.get(runId) ?? new Set();
      bells.set(runId, waiting.add(wake));
      signal?.addEventListener('abort', wake);
      await promise;
      signal?.removeEventListener('abort', wake);
      waiting.delete(wake);
      if (waiting.size === 0) bells.delete(runId);
    },
  };
}

const sides = { actions: ['update'], before: null, after: null, afterUnknown: false };
const plannedOutput = { name: 'o', ...sides, sensitive: false };
const plannedResource = {
  ...{ address: 'a.b', type: 'a', name: 'b', providerName: 'registry.opentofu.org/h/a', mode: 'managed' },
  ...{ ...sides, beforeSensitive: false, afterSensitive: false },
};

/** Returns the files that a plan leaves in the folder of its Run, and the outcome that names them. */
export function planOutcome(
  { runDir, state }: ExecutionSpec,
  planContents: {
    drift?: readonly object[];
    resources?: readonly object[];
    outputs?: readonly object[];
    resourceCount?: number;
  } = {},
): Outcome {
  const document = { formatVersion: '1', toolVersion: '1.12.6', summary: { add: 1, change: 0, destroy: 0 } };
  const lists = { resources: [], outputs: [], drift: [], diagnostics: [], resourceCount: 1, unchangedCount: 0 };
  const whole = {
    ...{ ...lists, ...planContents },
    resources: (planContents.resources ?? []).map((resource) => ({ ...plannedResource, ...resource })),
    drift: (planContents.drift ?? []).map((resource) => ({ ...plannedResource, ...resource })),
    outputs: (planContents.outputs ?? []).map((output) => ({ ...plannedOutput, ...output })),
  };
  writeFileSync(path.join(runDir, 'plan.json'), JSON.stringify({ ...document, ...whole }));
  writeFileSync(path.join(runDir, 'plan'), 'sealed');
  const { lineage = '', serial = 0 } =
    state === null ? {} : (JSON.parse(state.text) as { lineage: string; serial: number });
  return {
    kind: 'plan',
    planFileDigest: digestOf('sealed'),
    summary: document.summary,
    destructive: false,
    lock: '',
    lockDigest: digestOf(''),
    stateLineage: lineage,
    stateSerial: serial,
    projectionFile: 'plan.json',
    addresses: ['a.b'],
  };
}

/** Returns a state that an apply leaves, sealed in the folder of its Run, and the outcome that names it. */
export function applyOutcome(spec: ExecutionSpec, succeeded: boolean, outputs: object = {}): Outcome {
  const before = spec.state === null ? undefined : (JSON.parse(spec.state.text) as { lineage: string; serial: number });
  const { lineage, serial } = { lineage: before?.lineage ?? spec.capsuleId, serial: (before?.serial ?? 0) + 1 };
  const text = JSON.stringify({ version: 4, terraform_version: '1.12.6', serial, lineage, outputs, resources: [] });
  const file = `state-${serial}.tfstate`;
  const key = spec.sealing.encryptionKey;
  writeFileSync(path.join(spec.runDir, file), sealState(text, key, encryptionNames(key)));
  return {
    kind: 'apply',
    succeeded,
    ...(!succeeded && { errorCode: 'apply_failed' as const, message: 'It failed.' }),
    providerDispatched: true,
    state: { file, lineage, serial, digest: digestOf(text) },
    unfinished: [],
  };
}
