import type { MachineRow, RunnerPoolsService } from '#server/domains/runner-pools/index';
import { loadNats, type QuestionHandlers, sealBox } from '#server/drivers/nats/index';
import type { Clock } from '#server/kernel/clock';
import type { DurablePoints } from '#server/kernel/durable-points';
import { AppError } from '#server/kernel/errors';
import { present } from '#server/kernel/present';
import type { WorkGate } from '#server/kernel/work-gate';
import type { HandedJob } from '#server/runner/index';
import type { Answers } from './answers.ts';
import type { createAuthorityOpener } from './authority.ts';
import { createBeatOrder } from './beat-order.ts';
import { createDurableAnswers } from './durable-answers.ts';
import type { EndedJob } from './held-jobs.ts';
import type { LateStates } from './late-states.ts';
import type { Membership } from './membership.ts';

type Claim = { jobId: string; ticket: string };

type Deps = {
  clock: Clock;
  workGate: Pick<WorkGate, 'mayAct'>;
  points: Pick<DurablePoints, 'confirm' | 'behindSince'>;
  answers: Answers;
  lateStates: Pick<LateStates, 'find' | 'isEarly' | 'offer'>;
  authority: ReturnType<typeof createAuthorityOpener>;
  membership: Membership;
  pools: Pick<RunnerPoolsService, 'findMachine' | 'findVersionSkew' | 'noteBeat' | 'enrol' | 'findTokenHash'>;
  /** Reports whether a machine has the tool that a Run needs. */
  fitsTool: (runId: string, machine: MachineRow) => boolean;
  /** Offers a Run again that a machine turned down. */
  offerLater: (runId: string) => void;
  /** Makes at NATS what a new machine needs. */
  prepareMachine: (machine: MachineRow) => Promise<void>;
};

/** Answers the questions of machines. A server that may not act answers none, so that they ask another one. */
export function createQuestionHandlers(deps: Deps): QuestionHandlers {
  const { clock, answers, lateStates, authority, membership, pools } = deps;
  const durable = createDurableAnswers(deps);
  const sealFor = createSealer(authority);
  const beats = createBeatOrder();

  /** Finds the machine that asks. NATS has proved its id; a revoked one is refused here too. */
  function findAsking(id: string): MachineRow | undefined {
    durable.requireRight();
    const machine = pools.findMachine(id);
    return machine && machine.state !== 'revoked' ? machine : undefined;
  }

  return {
    async claim(id, { runId }) {
      const machine = findAsking(id);
      if (!machine) return { refused: 'not_waiting' };
      const refused = findUnfitness(machine, runId, deps);
      const taking = { id, poolId: machine.poolId };
      if (!refused) return (await durable.give(() => answers.claim(taking, runId))) ?? { refused: 'not_waiting' };
      // The offer is gone with this answer, and another machine of the pool may fit.
      deps.offerLater(runId);
      return { refused };
    },

    async resume(id, claim) {
      const machine = findAsking(id);
      const answer = machine && (await answers.resume(id, claim));
      if (!machine || !answer) return { refused: 'not_held' };
      // A machine whose claim had no answer gets here too.
      if (answer === 'pending' || !(await durable.isConfirmed())) return { pending: true };
      return { envelope: await sealFor(machine, claim, answer.handed), offset: answer.offset };
    },

    async permit(id, { order, ...claim }) {
      beats.note(id, order);
      // What was permitted counts as started, so that nothing is permitted whose answer would be held back.
      const permitted = findAsking(id) && (await durable.give(() => answers.permit(id, claim)));
      if (!permitted) return { refused: 'not_held' };
      if (permitted.answer === 'refused') return { refused: 'cancelled' };
      const sealed = sealBox(permitted.held.key, { kind: 'permit', ...claim }, Buffer.from('granted'));
      return { permit: sealed.toString('base64') };
    },

    lateState: createLateAnswers({ lateStates, durable, findAsking, sealFor }),

    async beat(id, { facts, runs, order }) {
      const machine = findAsking(id);
      if (!machine) return { runs: runs.map(({ jobId, ticket }) => voidOf(jobId, ticket)), isDraining: true };
      const state = pools.noteBeat(id, facts, clock.now());
      const versionSkew = pools.findVersionSkew({ ...machine, facts: { ...machine.facts, ...facts } });
      const isDraining = state !== 'active' || versionSkew !== undefined;
      const verdicts = await durable.withoutLateEnds(answers.beat(id, runs, { isNewest: beats.note(id, order) }));
      return { runs: verdicts, isDraining, ...present({ versionSkew }) };
    },

    async renew(id) {
      const machine = findAsking(id);
      return machine ? { jwt: await membership.sign(machine) } : { refused: 'runner_revoked' };
    },

    async enrol(enrolmentId, { keys, proof, ...facts }) {
      durable.requireRight();
      const { isEnrolmentProof } = await loadNats();
      const tokenHash = pools.findTokenHash(enrolmentId);
      if (tokenHash === undefined || !isEnrolmentProof(proof, tokenHash, { enrolmentId, ...keys }))
        return { refused: 'proof_refused' };
      const machine = enrolOrRefuse(enrolmentId, { keys, facts });
      if (!machine) return { refused: 'enrolment_closed' };
      await deps.prepareMachine(machine);
      return { runnerId: machine.id, poolId: machine.poolId, jwt: await membership.sign(machine) };
    },
  };

  function enrolOrRefuse(...enrolling: Parameters<RunnerPoolsService['enrol']>): MachineRow | undefined {
    try {
      return pools.enrol(...enrolling);
    } catch (error) {
      if (error instanceof AppError && error.code !== 'internal_error') return undefined;
      throw error;
    }
  }
}

type Sealer = ReturnType<typeof createSealer>;

/** Returns the function that seals what a machine needs for a job to that machine. */
function createSealer(authority: Deps['authority']) {
  return async ({ id: runnerId, sealKey: publicKey }: MachineRow, claim: Claim, handed: HandedJob) => {
    const nats = await loadNats();
    const { signWith } = await authority();
    return nats.sealJob(handed, { runnerId, ...claim, publicKey, signWith });
  };
}

type LateDeps = Pick<Deps, 'lateStates'> & {
  durable: ReturnType<typeof createDurableAnswers>;
  findAsking: (id: string) => MachineRow | undefined;
  sealFor: Sealer;
};

/** Answers a machine that brings the states of an apply that was ended without it. */
const createLateAnswers =
  ({ lateStates, durable, findAsking, sealFor }: LateDeps): QuestionHandlers['lateState'] =>
  async (id, { files, ...claim }) => {
    const machine = findAsking(id);
    const ended = machine && lateStates.find(id, claim);
    if (!machine || !ended) return { refused: 'not_wanted' };
    if (lateStates.isEarly(ended)) return { pending: true };
    if (!files) return { envelope: await sealFor(machine, claim, { runKey: keyOf(ended) }) };
    const end = lateStates.offer(ended, files);
    if (end === 'pending') return { pending: true };
    if (end === 'not_wanted') return { refused: end };
    // The machine deletes its copies then.
    await durable.confirm();
    return { stored: true };
  };

/** Returns why a machine cannot execute a Run; undefined when it can. */
function findUnfitness(machine: MachineRow, runId: string, { pools, fitsTool }: Pick<Deps, 'pools' | 'fitsTool'>) {
  const { facts, state } = machine;
  if (state !== 'active') return 'not_waiting';
  const versionSkew = pools.findVersionSkew(machine);
  if (versionSkew) return versionSkew === 'older' ? 'runner_outdated' : 'server_outdated';
  // Without a sandbox absolute paths differ between machines, and a state would name another folder.
  if (facts.sandbox !== 'bwrap') return 'sandbox_missing';
  return fitsTool(runId, machine) ? undefined : 'tool_differs';
}

const keyOf = ({ key }: EndedJob): string => key.revealBytes().toString('base64');

const voidOf = (jobId: string, ticket: string) => ({
  jobId,
  ticket,
  state: 'void' as const,
  offset: 0,
  isCancelled: false,
});
