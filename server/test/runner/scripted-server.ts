import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { decodePiece, type HandedJob, type Job, type JournalRecord } from '../../src/runner/index.ts';
import type { Claim, HeldState, MachineLink, Verdict } from '../../src/runner-machine/link.ts';

/** A job as the scripted server has it. */
type ScriptedJob = {
  claim: Claim;
  handed: HandedJob;
  journal: Buffer;
  files: Map<string, Buffer>;
  verdict: Verdict['state'];
  isCancelled: boolean;
  reported: HeldState | undefined;
  permits: number;
  /** True when the states of the job are wanted after its end; `late` are those that arrived, by name. */
  wantsLate: boolean;
  late: Map<string, string>;
};

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const createState = () => ({
  /** Files by their digest. */
  store: new Map<string, Buffer>(),
  jobs: new Map<string, ScriptedJob>(),
  offers: [] as string[],
  beatRequests: new Set<() => void>(),
  watchers: new Set<() => void>(),
  faults: { isOffline: false, lostPieces: 0, fetches: 0 },
  answer: 'granted' as 'granted' | 'refused',
});
type State = ReturnType<typeof createState>;

function put({ store }: State, bytes: Buffer) {
  const digest = digestOf(bytes);
  store.set(digest, bytes);
  return { digest, sizeBytes: bytes.length };
}

function changed({ watchers }: State): void {
  for (const wake of watchers) wake();
}

const findJob = ({ jobs }: State, { jobId, ticket }: Claim): ScriptedJob | undefined => {
  const job = jobs.get(jobId);
  return job?.claim.ticket === ticket ? job : undefined;
};

const verdictOf = ({ claim, verdict, journal, isCancelled }: ScriptedJob): Verdict => ({
  ...claim,
  state: verdict,
  offset: journal.length,
  isCancelled,
});

/** Refuses a message with other members than those of the protocol, as the server does. */
function requireExact(message: object, members: readonly string[]): void {
  const others = Object.keys(message).filter((name) => !members.includes(name));
  if (others.length > 0) throw new Error(`the protocol has no ${others.join(', ')}`);
}
const claimMembers = ['jobId', 'ticket'];

/** Every method fails while the line is cut. */
function createLink(state: State): MachineLink {
  const { jobs, offers, beatRequests, watchers, faults, store } = state;
  const checkLine = (): void => {
    if (faults.isOffline) throw new Error('offline');
  };
  return {
    ...createTransfers(state, checkLine),
    async nextOffer(signal) {
      while (offers.length === 0 || faults.isOffline) {
        if (signal.aborted) return undefined;
        await new Promise<void>((resolve) => {
          watchers.add(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return { runId: offers[0] as string, attempt: 0, acknowledge: () => void offers.shift() };
    },
    async claim({ runId }) {
      checkLine();
      return jobs.get(runId)?.claim;
    },
    async resume(claim) {
      checkLine();
      requireExact(claim, claimMembers);
      const job = findJob(state, claim);
      return job?.verdict === 'held' ? { job: job.handed, offset: job.journal.length } : undefined;
    },
    async permit(claim) {
      checkLine();
      const job = findJob(state, claim);
      if (!job) return 'refused';
      job.permits += 1;
      changed(state);
      return state.answer;
    },
    async lateKey(claim) {
      checkLine();
      const job = findJob(state, claim);
      return job?.wantsLate ? Buffer.from(job.handed.runKey, 'base64') : undefined;
    },
    async offerLateStates(claim, files) {
      checkLine();
      const job = findJob(state, claim);
      if (!job?.wantsLate) return 'not_wanted';
      for (const { name, digest } of files) job.late.set(name, (store.get(digest) as Buffer).toString());
      changed(state);
      return 'stored';
    },
    async beat({ jobs: reports }) {
      checkLine();
      for (const report of reports) requireExact(report, [...claimMembers, 'offset', 'state']);
      const verdicts = reports.map((report): Verdict => {
        const job = findJob(state, report);
        if (!job) return { ...report, state: 'void', offset: 0, isCancelled: false };
        job.reported = report.state;
        return verdictOf(job);
      });
      changed(state);
      const unknown = [...jobs.values()].filter(
        ({ claim, verdict }) =>
          verdict === 'held' && reports.every(({ jobId, ticket }) => jobId !== claim.jobId || ticket !== claim.ticket),
      );
      return { jobs: [...verdicts, ...unknown.map(verdictOf)], isDraining: false };
    },
    onBeatRequest(callback) {
      beatRequests.add(callback);
      return () => beatRequests.delete(callback);
    },
  };
}

type Transfers = Pick<MachineLink, 'sendPiece' | 'sendFile' | 'fetchFile' | 'fetchBytes'>;

function createTransfers(state: State, checkLine: () => void): Transfers {
  const { store, faults } = state;
  return {
    async sendPiece({ jobId, ticket, offset, content }) {
      checkLine();
      const job = findJob(state, { jobId, ticket });
      if (faults.lostPieces > 0) {
        faults.lostPieces -= 1;
        return;
      }
      if (!job || offset !== job.journal.length) return;
      const { files, bytes } = decodePiece(content);
      for (const { name, digest } of files) job.files.set(name, store.get(digest) as Buffer);
      job.journal = Buffer.concat([job.journal, bytes]);
      changed(state);
    },
    async sendFile(file) {
      checkLine();
      return put(state, readFileSync(file));
    },
    async fetchFile({ digest }, { file }) {
      checkLine();
      writeFileSync(file, store.get(digest) as Buffer);
    },
    async fetchBytes({ digest }) {
      checkLine();
      if (faults.fetches > 0) {
        faults.fetches -= 1;
        throw new Error('out of reach');
      }
      return store.get(digest) as Buffer;
    },
  };
}

type JobOptions = {
  /** False for a job that the machine only learns of from the answer to a beat. */
  isOffered?: boolean;
  planFiles?: readonly { name: string; bytes: Buffer }[];
};

function createJob(
  state: State,
  job: Partial<Job> & { id: string },
  planFiles: JobOptions['planFiles'] = [],
): ScriptedJob {
  const key = randomBytes(32);
  const archive = put(state, Buffer.from(`archive of ${job.id}`));
  const whole = { runId: job.id, operation: 'plan', mode: 'run', plan: null, archiveDigest: archive.digest, ...job };
  return {
    claim: { jobId: job.id, ticket: randomBytes(16).toString('hex') },
    handed: {
      runKey: key.toString('base64'),
      input: {
        job: put(state, Buffer.from(JSON.stringify(whole))),
        archive: { ...archive, key: randomBytes(32).toString('base64') },
        planFiles: planFiles.map(({ name, bytes }) => ({ name, ...put(state, bytes) })),
      },
    },
    journal: Buffer.alloc(0),
    files: new Map(),
    verdict: 'held',
    isCancelled: false,
    reported: undefined,
    permits: 0,
    wantsLate: false,
    late: new Map(),
  };
}

/** Plays the server of a machine, without NATS and without a ledger. */
export function createScriptedServer() {
  const state = createState();
  const { jobs, offers, watchers, faults } = state;
  return {
    link: createLink(state),
    faults,
    add(job: Partial<Job> & { id: string }, { isOffered = true, planFiles }: JobOptions = {}): ScriptedJob {
      const scripted = createJob(state, job, planFiles);
      jobs.set(job.id, scripted);
      if (isOffered) offers.push(job.id);
      changed(state);
      return scripted;
    },
    refusePermits(): void {
      state.answer = 'refused';
    },
    wake: () => changed(state),
    /** Resolves when the condition holds; it is checked after each call of the machine. */
    async until(condition: () => boolean): Promise<void> {
      while (!condition()) {
        await new Promise<void>((resolve) => {
          watchers.add(resolve);
        });
      }
    },
    recordsOf: (id: string): JournalRecord[] =>
      (jobs.get(id)?.journal.toString() ?? '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as JournalRecord),
  };
}
