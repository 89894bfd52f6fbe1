import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#server/kernel/log';
import { untilAborted } from '#server/kernel/until-aborted';
import type { VersionSkew } from '#shared/runner-pools/contract';
import { listClaims } from './claim-file.ts';
import { deleteLeftoversRegularly } from './leftover-files.ts';
import type { MachineJobDeps } from './machine-job.ts';
import { createMachineJobs } from './machine-jobs.ts';

export type MachineOptions = Omit<MachineJobDeps, 'inTurn' | 'beatSoon' | 'whenCleared' | 'stopping'> & {
  /** Number of Runs that this machine executes at once. */
  concurrency: number;
  /** Milliseconds between two beats. */
  beatMs: number;
};

export type RunnerMachine = {
  /** Takes no further offers. Resolves when the ledger has the end of every Run that is held here. */
  drain(): Promise<void>;
  /** Stops at once, without the answers to open questions. Supervisors continue, and the next start takes their Runs up again. */
  stop(): Promise<void>;
};

const pauseMs = 1_000;

/** Takes Runs of a pool while there is room, and holds each until the ledger has its end. Starts with those it held before. */
export function startMachine(options: MachineOptions): RunnerMachine {
  const { link, log, folders, concurrency, beatMs } = options;
  const stopped = new AbortController();
  const stopping = stopped.signal;
  const bell = createBell(stopping);
  const vacancy = createBell(stopping);
  const held = createMachineJobs({ ...options, beatSoon: bell.ring, stopping }, vacancy.ring);
  let isDraining = false;
  let drainsByRequest = false;
  const noteSkew = createSkewNotes(log);
  const mayTake = (): boolean => !isDraining && !drainsByRequest;
  const pauseAfter = (message: string) => async (error: unknown) => {
    if (stopping.aborted) return;
    log.warn({ reason: reasonOf(error) }, message);
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
  };

  /** Takes one offer. It is acknowledged when its claim was answered, whatever the answer. */
  async function takeOffer(): Promise<void> {
    const offer = await link.nextOffer(stopping);
    if (!offer) return;
    const claim = await untilAborted(link.claim(offer), stopping);
    if (claim) held.hold(claim);
    offer.acknowledge();
  }

  /** Takes one offer at a time, and only while there is vacancy. */
  async function takeOffers(): Promise<void> {
    while (!stopping.aborted) {
      if (mayTake() && held.size() < concurrency) await takeOffer().catch(pauseAfter('an offer could not be taken'));
      else await vacancy.wait(beatMs);
    }
  }

  async function beat(): Promise<void> {
    const freeSlots = Math.max(0, concurrency - held.size());
    const jobs = held.report();
    const answer = await untilAborted(link.beat({ jobs, freeSlots, isDraining: !mayTake() }), stopping);
    drainsByRequest = answer.isDraining;
    noteSkew(answer.versionSkew);
    if (mayTake()) vacancy.ring();
    for (const verdict of answer.jobs) held.take(verdict);
  }

  async function beatAlways(): Promise<void> {
    const stopListening = link.onBeatRequest(bell.ring);
    while (!stopping.aborted) {
      await beat().catch(pauseAfter('the server did not take a beat'));
      await bell.wait(beatMs);
    }
    stopListening();
  }

  for (const claim of listClaims(folders.runs)) held.hold(claim);
  deleteLeftoversRegularly({ folders, log, isHeld: held.has }, stopping);
  const loops = [takeOffers(), beatAlways()];
  return {
    async drain() {
      isDraining = true;
      bell.ring();
      while (held.size() > 0) await Promise.race(held.ends());
    },
    async stop() {
      stopped.abort();
      await Promise.all([...loops, ...held.ends()]);
    },
  };
}

/** Returns what writes to the log why this machine gets no Runs, once for each reason. */
function createSkewNotes(log: Log): (skew: VersionSkew | undefined) => void {
  let noted: VersionSkew | undefined;
  return (skew) => {
    if (skew === noted) return;
    noted = skew;
    if (skew) log.warn({}, `this machine gets no Runs: ${skewTexts[skew]}`);
    else log.info({}, 'this machine and its server have fitting versions again');
  };
}

const skewTexts: Readonly<Record<VersionSkew, string>> = {
  older: 'it is older than its server; update it',
  newer: 'it is newer than its server; update the server first',
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown error');

/** Creates a bell that remembers a ring, so that none is missed between two waits. */
function createBell(stopping: AbortSignal) {
  let isRung = false;
  let wake = (): void => {};
  return {
    ring: (): void => {
      isRung = true;
      wake();
    },
    /** Resolves at the next ring, after `ms`, or when the process stops. */
    async wait(ms: number): Promise<void> {
      if (!isRung && !stopping.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, ms);
        stopping.addEventListener('abort', wake, { once: true });
        await promise;
        clearTimeout(timer);
        stopping.removeEventListener('abort', wake);
      }
      isRung = false;
    },
  };
}
