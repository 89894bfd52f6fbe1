import type { MachineRow, NatsTexts, RunnerPoolsService } from '#server/domains/runner-pools/index';
import { noteItem, type RunQueue, type RunRecord, type RunsService, warningItem } from '#server/domains/runs/index';
import { loadNats, type NatsConnection, type QuestionHandlers } from '#server/drivers/nats/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { DurablePoints } from '#server/kernel/durable-points';
import { findFact } from '#server/kernel/installation';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { Secret } from '#server/kernel/secret';
import type { NatsSettings } from '#server/kernel/settings-nats';
import type { WorkGate } from '#server/kernel/work-gate';
import type { Folders, Job, RunnerDriver } from '#server/runner/index';
import type { MachineTool } from '#shared/runner-pools/contract';
import { machineBackCode, silentMachineCode } from '#shared/runs/orphans';
import { announceEnds } from './announce-ends.ts';
import { createAnswers } from './answers.ts';
import { createAuthorityOpener } from './authority.ts';
import { keepConnection } from './connection.ts';
import { createRemoteDriver } from './driver.ts';
import { createHeldJobs, type HeldJob, type HeldJobs } from './held-jobs.ts';
import { createLateStates, type LateFiles } from './late-states.ts';
import { createMembership, type Membership } from './membership.ts';
import { createNatsPoolsLink } from './nats-pools-link.ts';
import { createOffers } from './offers.ts';
import { createPieceIntake } from './pieces.ts';
import { deleteInput, prepareJob } from './prepare.ts';
import { createQuestionHandlers } from './question-handlers.ts';
import { createRefusalNotes, type RefusalNotes } from './refusal-notes.ts';
import { createRemoteJobsStore, type RemoteJobsStore } from './store.ts';
import { takeOverJobs } from './take-over.ts';

/** Age of a job whose Run has ended and whose machine has not returned: NATS has deleted the rest of its journal. */
const retainMs = 7 * 86_400_000;
const sweepMs = 12 * 3_600_000;

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  outbox: Outbox;
  workGate: WorkGate;
  points: DurablePoints;
  vault: Pick<Vault, 'seal' | 'open' | 'installationKey'>;
  folders: Folders;
  runs: Pick<RunsService, 'findRecord' | 'append'>;
  pools: RunnerPoolsService;
  nats: NatsSettings & { ca: string | undefined };
  /** Time without a sign of life after which a job without a permit is given to another machine. */
  leaseMs: number;
};

/** Fact of a ledger that a promoted server continues: when earlier servers were revoked at NATS, in seconds. */
export type PromotionFact = { revokedAt: number; term: number };

/** Functions of higher domains, which are built after the driver. */
export type RemotePorts = {
  queue: Pick<RunQueue, 'claim'>;
  listClaimable: () => RunRecord[];
  rebuildJob: (runId: string) => Promise<Job>;
  isActionOver: (jobId: string) => boolean;
  markStarted: (jobId: string, run: RunRecord) => void;
  /** Stores the state of an apply that was ended without its machine. False when none of its files counts. */
  takeLateState: (files: LateFiles) => boolean;
  /** Tool that a Run needs; undefined when any will do. */
  findNeededTool: (runId: string) => MachineTool | undefined;
};

export type RemoteRuns = {
  driver: RunnerDriver;
  /** Returns the tool of the machine that has claimed a Run. */
  findTool(runId: string): MachineTool | undefined;
  texts: NatsTexts;
  /** Prepares the jobs of machines in the ledger of a promoted server, in the caller's transaction. Returns their number. */
  takeOver(markStarted: RemotePorts['markStarted']): number;
  /** Connects to NATS and begins to answer machines. */
  start(ports: RemotePorts): void;
  stop(): Promise<void>;
};

/** Runs on the machines of pools. */
export function createRemoteRuns(deps: Deps): RemoteRuns {
  const { db, clock, log, vault, folders, pools, nats, leaseMs } = deps;
  const stopped = new AbortController();
  const stopping = stopped.signal;
  let connection: NatsConnection | undefined;
  const authority = createAuthorityOpener({ db, vault });
  const findConnection = () => connection;
  const link = createNatsPoolsLink(findConnection);
  const findServersRevokedAt = () => findFact<PromotionFact>(db, 'promotion')?.revokedAt;
  const known = { log, authority, pools, findServersRevokedAt, findConnection, stopping };
  const membership = createMembership({ ...nats, ...known });
  const store = createRemoteJobsStore(db);
  const onOver = (held: HeldJob) => deleteInput(held, link);
  const jobs = createHeldJobs({ clock, folders, store, vault, leaseMs, onSilence: createSilenceNotes(deps), onOver });
  const archivesKey = () => new Secret(Buffer.from(vault.installationKey('runner-archives'), 'hex'));
  const preparing = { link, folders, archivesKey };
  const isOpen = ({ row }: HeldJob) => deps.runs.findRecord(row.runId)?.status === 'running';
  const refusals = createRefusalNotes({ log, clock });
  const intake = createPieceIntake({ refusals, jobs, link, isOpen, stopping });
  let working = Promise.resolve();

  async function work(ports: RemotePorts): Promise<void> {
    await membership.open();
    const offers = createOffers({ ...deps, link, listClaimable: ports.listClaimable });
    const clear = (held: HeldJob): void => {
      jobs.drop(held);
      link.purgeJournal(held.row.machineId, held.row.id).catch(() => {});
    };
    const prepare = (job: Job, held: HeldJob) => prepareJob(job, held, { ...preparing, signal: stopping });
    const answers = createAnswers({ ...deps, ...ports, jobs, withdrawOffer: offers.remove, prepare, clear });
    const fitsTool = (runId: string, { facts }: MachineRow) => isSameTool(ports.findNeededTool(runId), facts.tool);
    const prepareMachine = async ({ id, poolId }: MachineRow) => {
      const { createStreamManager } = await loadNats();
      if (!connection) return;
      const streams = createStreamManager(connection, { replicas: nats.replicas });
      // The pool may have been created after the last connect.
      await streams.createPool(poolId);
      await streams.createRunner(id);
    };
    announceEnds({ outbox: deps.outbox, jobs, link, stopping });
    sweepOver({ clock, log, jobs, store, clear }, stopping);
    const { offerLater } = offers;
    const lateStates = createLateStates({ ...deps, ...preparing, jobs, take: ports.takeLateState, stopping });
    const answering = { answers, lateStates, authority, membership, fitsTool, offerLater, prepareMachine };
    const handlers = createQuestionHandlers({ ...deps, ...answering });
    const set = (current: NatsConnection | undefined) => {
      connection = current;
    };
    const listen = createListener({ log, refusals, authority, handlers, intake, stopping });
    const onConnected = async (current: NatsConnection) => {
      // What an earlier server of this installation takes from NATS would be lost for the current one.
      if (!deps.workGate.mayAct()) throw new Error('This server may not act.');
      await membership.establish(current);
      await listen(current);
      offers.offerAgain();
    };
    await keepConnection({ log, ...nats, authority, signal: stopping, set, onConnected }).finally(offers.stop);
  }

  return {
    driver: createRemoteDriver({ ...preparing, jobs, link, stopping }),
    findTool: (runId) => {
      const machineId = jobs.find(runId)?.row.machineId;
      return machineId === undefined ? undefined : pools.findMachine(machineId)?.facts.tool;
    },
    texts: membership,
    takeOver: (markStarted) => takeOverJobs({ ...deps, store, markStarted }),
    start(ports) {
      followPools(deps, { membership, jobs });
      working = work(ports).catch((error: unknown) => {
        if (!stopping.aborted) log.error(faultFields(error), 'Runs on machines of pools are not available');
      });
    },
    async stop() {
      stopped.abort();
      await intake.settle();
      jobs.stop();
      await working;
    },
  };
}

type Followers = { membership: Membership; jobs: Pick<HeldJobs, 'abandon'> };

/** Makes NATS and the jobs follow what is revoked or removed in the ledger. */
function followPools({ db, pools }: Pick<Deps, 'db' | 'pools'>, { membership, jobs }: Followers): void {
  pools.onMoved(({ id, state }) => {
    if (state !== 'revoked') return;
    db.afterCommit(() => {
      membership.requestRevocations();
      jobs.abandon(id);
    });
  });
  pools.onPoolRemoved(() => db.afterCommit(membership.requestPoolDeletions));
}

type Sweeping = {
  clock: Clock;
  log: Log;
  jobs: Pick<HeldJobs, 'listOver'>;
  store: Pick<RemoteJobsStore, 'removeVoided'>;
  clear: (held: HeldJob) => void;
};

/** Deletes jobs whose machines have not returned, at once and then twice a day, until the signal aborts. */
function sweepOver({ clock, log, jobs, store, clear }: Sweeping, signal: AbortSignal): void {
  const sweep = (): void => {
    const before = clock.now() - retainMs;
    try {
      jobs.listOver(before).forEach(clear);
      store.removeVoided(before);
    } catch (error) {
      log.warn(faultFields(error), 'jobs of machines that have not returned could not be deleted');
    }
  };
  sweep();
  const timer = setInterval(sweep, sweepMs).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
}

const silent =
  'The machine of this apply has not reported for a while, and may still work. It goes on when the machine is back. When you know that the machine is gone, interrupt the Run, then end it without its machine: it ends with the last state that arrived.';
const revoked =
  'The machine of this apply was revoked and can report nothing any more, though its tool may still work. Interrupt the Run, then end it without its machine: it ends with the last state that arrived.';
const back = 'The machine of this apply reports again.';

/** Writes to the feed of a Run that its machine has stopped reporting, or reports again. */
const createSilenceNotes =
  ({ db, clock, log, runs, pools }: Pick<Deps, 'db' | 'clock' | 'log' | 'runs' | 'pools'>) =>
  ({ row: { runId, machineId }, isSilent }: HeldJob): void => {
    const now = clock.now();
    const text = pools.findMachine(machineId)?.state === 'revoked' ? revoked : silent;
    const item = isSilent ? warningItem(now, silentMachineCode, text) : noteItem(now, machineBackCode, back);
    try {
      db.write(() => runs.append(runId, [item]));
    } catch (error) {
      log.warn({ runId, ...faultFields(error) }, 'the silence of a machine could not be noted');
    }
  };

type Listening = {
  log: Log;
  refusals: RefusalNotes;
  authority: ReturnType<typeof createAuthorityOpener>;
  handlers: QuestionHandlers;
  intake: ReturnType<typeof createPieceIntake>;
  stopping: AbortSignal;
};

/** Returns what begins to answer machines and to read their journals, once; both go on after a reconnect. */
function createListener({ log, refusals, authority, handlers, intake, stopping }: Listening) {
  let isListening = false;
  return async (connection: NatsConnection): Promise<void> => {
    if (isListening || stopping.aborted) return;
    const nats = await loadNats();
    const { signWith } = await authority();
    if (isListening) return;
    isListening = true;
    const onFault = (error: unknown, name: string, machineId: string) =>
      refusals.note(machineId, 'a question of a machine was not answered', { question: name, ...faultFields(error) });
    const onRefused = (machineId: string | undefined) =>
      refusals.note(machineId, 'a message of a machine was refused: it has another form, or there were too many');
    const stopAnswering = nats.answerQuestions({ connection, signWith, handlers, onFault, onRefused });
    stopping.addEventListener('abort', stopAnswering, { once: true });
    void nats.followJournals(connection, {
      commit(pieces) {
        for (const { runnerId, ...piece } of pieces) intake.add({ machineId: runnerId, ...piece });
      },
      onRefused,
      onFault: (error) => log.warn(faultFields(error), 'journals of machines could not be read'),
      signal: stopping,
    });
  };
}

const isSameTool = (needed: MachineTool | undefined, tool: MachineTool | undefined): boolean =>
  tool !== undefined && (needed === undefined || (needed.name === tool.name && needed.version === tool.version));
