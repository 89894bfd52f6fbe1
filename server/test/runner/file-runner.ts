import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { type JournalWriter, journalFile, openJournal } from '../../src/runner/contract/journal.ts';
import { answerPermission } from '../../src/runner/contract/permission.ts';
import { followJournal } from '../../src/runner/follow.ts';
import { type ExecutionSpec, type JournalRecord, type Runner, RunnerError } from '../../src/runner/index.ts';

/** A supervisor that a test plays: its journal is a real file. */
export type ScriptedSupervisor = {
  readonly spec: ExecutionSpec;
  isCancelled: boolean;
  say(record: JournalRecord): void;
  /** Ends it without an outcome. */
  die(): void;
};

export type FileRunner = Runner & {
  /** Every supervisor that was started for a folder, oldest first. */
  startsOf(runId: string): readonly ScriptedSupervisor[];
  /** Resolves to the newest supervisor of a Run, as soon as there are so many. */
  awaitStart(runId: string, count?: number): Promise<ScriptedSupervisor>;
  /** Thrown by the next start. */
  startFault: Error | undefined;
  /** True while a tool whose supervisor died still applies. */
  isApplying: boolean;
};

/** Replaces the supervisors of a machine by ones that a test plays, over real folders and journals. */
export function createFileRunner(): FileRunner {
  const starts = new Map<string, ScriptedSupervisor[]>();
  const alive = new Map<string, { supervisor: ScriptedSupervisor; journal: JournalWriter }>();
  const ends = new Map<string, Set<() => void>>();
  const waiters = new Set<() => void>();
  const end = (runDir: string): void => {
    const one = alive.get(runDir);
    if (!one) return;
    alive.delete(runDir);
    one.journal.close();
    for (const wake of ends.get(runDir) ?? []) wake();
  };
  const runner = {
    startFault: undefined as Error | undefined,
    isApplying: false,
    async start(spec: ExecutionSpec) {
      const { runDir } = spec;
      const fault = runner.startFault;
      runner.startFault = undefined;
      if (fault) throw fault;
      if (alive.has(runDir)) throw new RunnerError('busy', 'Another supervisor works there.');
      mkdirSync(runDir, { recursive: true });
      const journal = openJournal(runDir);
      const supervisor: ScriptedSupervisor = {
        spec,
        isCancelled: false,
        say(record) {
          journal.write(record);
          journal.sync();
          if (record.t === 'outcome') end(runDir);
        },
        die: () => end(runDir),
      };
      journal.write({ t: 'started', at: 0, formatVersion: 1, identity: { pid: 2, startTime: '', bootId: '' } });
      journal.sync();
      alive.set(runDir, { supervisor, journal });
      const id = path.basename(runDir);
      starts.set(id, [...(starts.get(id) ?? []), supervisor]);
      for (const wake of waiters) wake();
    },
    startsOf: (runId: string) => starts.get(runId) ?? [],
    async awaitStart(runId: string, count = 1): Promise<ScriptedSupervisor> {
      for (;;) {
        const found = starts.get(runId)?.[count - 1];
        if (found) return found;
        await new Promise<void>((resolve) => {
          waiters.add(resolve);
        });
      }
    },
    follow: (runDir: string, options: Parameters<Runner['follow']>[1]) =>
      followJournal(runDir, options, {
        isAlive: () => alive.has(runDir),
        onEnd(callback) {
          const set = ends.get(runDir) ?? new Set();
          ends.set(runDir, set.add(callback));
          return () => set.delete(callback);
        },
      }),
    isAlive: (runDir: string) => alive.has(runDir),
    withdraw: () => {},
    cancel(runDir: string) {
      const one = alive.get(runDir);
      if (one) one.supervisor.isCancelled = true;
      return one !== undefined;
    },
    truncateTornTail: (runDir: string) => (existsSync(journalFile(runDir)) ? 1 : undefined),
    answer: answerPermission,
    endLeftovers: async () => !runner.isApplying,
    endAllLeftovers: async () => {},
    warm: () => {},
    close: async () => {},
  };
  return runner as unknown as FileRunner;
}
