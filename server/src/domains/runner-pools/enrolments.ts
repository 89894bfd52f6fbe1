import { randomBytes } from 'node:crypto';
import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { sha256Hex } from '#server/kernel/digest';
import { failedPrecondition, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { everyWorkspace, type Outbox } from '#server/kernel/outbox';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import type { QueryOf } from '#shared/kernel/endpoint';
import { runnerLimits } from '#shared/limits';
import type { runnerPoolsApi } from '#shared/runner-pools/api';
import type { MachineFacts, MachineKeys, RunnerEnrolment } from '#shared/runner-pools/contract';
import type { EnrolmentRow, MachineRow, MachinesStore } from './machines-store.ts';
import type { PoolReads } from './pools.ts';
import { notConfigured } from './pools.ts';
import { enrolmentOf, enrolmentStatusOf } from './records.ts';

/** An enrolment as it is written into the text that a person carries to the machine. */
export type NewEnrolment = { id: string; poolId: string; expiresAt: number; token: string };

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  store: MachinesStore;
};

type NatsQuery = QueryOf<typeof runnerPoolsApi.readNatsConfiguration>;

/** Texts that need the keys of this installation at NATS. */
export type NatsTexts = {
  /** Resolves when the keys are open. */
  open(): Promise<void>;
  /** Returns the text with which a machine finds the NATS server and proves its right to join. */
  enrolmentText(enrolment: NewEnrolment): string;
  configuration(query: NatsQuery): Promise<string>;
};

const refusals = {
  used: ['runner_enrolment_used', 'Another machine has used this enrolment. Make a new one.'],
  expired: ['runner_enrolment_expired', 'This enrolment has expired. Make a new one.'],
  cancelled: ['runner_enrolment_cancelled', 'This enrolment was cancelled. Make a new one.'],
} as const;

/** Refusal of an enrolment that cannot be used. */
const refusalOf = (row: EnrolmentRow, now: number) => {
  const status = enrolmentStatusOf(row, now);
  const [reason, message] = refusals[status === 'open' ? 'used' : status];
  return failedPrecondition(reason, message);
};

type Recording = Pick<Deps, 'activity' | 'outbox'>;

function record(
  { id, poolId }: Pick<EnrolmentRow, 'id' | 'poolId'>,
  action: `runner_enrolment.${'created' | 'cancelled'}`,
  { activity, outbox, actorId }: Recording & { actorId: string },
): void {
  activity.record({ actorId, action, targetType: 'runner_enrolment', targetId: id, metadata: { poolId } });
  outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id });
}

/** Cancels the open enrolments of a pool, or of all, in the caller's transaction. */
export const createEnrolmentCancel =
  ({ clock, store, ...deps }: Recording & Pick<Deps, 'clock' | 'store'>) =>
  (poolId: string | undefined, actorId: string): void => {
    const now = clock.now();
    for (const row of store.listOpenEnrolments(poolId, now)) {
      store.takeEnrolment(row.id, now, { cancelledAt: now });
      record(row, 'runner_enrolment.cancelled', { ...deps, actorId });
    }
  };

/** The one-time rights by which machines join pools. */
export function createEnrolments(deps: Deps & { getPool: PoolReads['getRow'] }) {
  const { db, clock, cursors, store, getPool } = deps;
  let nats: NatsTexts | undefined;

  return {
    /** Sets what writes texts that need the keys of this installation at NATS. */
    attachNats(texts: NatsTexts): void {
      nats = texts;
    },

    /** Returns the configuration of a NATS server. 409 `runners_not_configured`. */
    async natsConfiguration(query: NatsQuery): Promise<string> {
      if (!nats) throw notConfigured();
      return nats.configuration(query);
    },

    listEnrolments(poolId: string, query: ListQueryOf<typeof runnerPoolsApi.listRunnerEnrolments>) {
      getPool(poolId);
      const { rows, next } = readPage(cursors, query, {
        binding: `runner-enrolments:${poolId}`,
        fetch: (after, limit) => store.listEnrolments(poolId, afterCreated(after), limit),
        positionOf: createdOf,
      });
      const now = clock.now();
      return { runnerEnrolments: rows.map((row) => enrolmentOf(row, now)), ...next };
    },

    /** Resolves when enrolments can be made. 409 `runners_not_configured`. */
    async openNats(): Promise<void> {
      if (!nats) throw notConfigured();
      await nats.open();
    },

    /** Makes an enrolment. The text is returned once and not stored. 409 `runners_not_configured`. */
    createEnrolment(poolId: string, actorId: string): { runnerEnrolment: RunnerEnrolment; text: string } {
      if (!nats) throw notConfigured();
      const { enrolmentText } = nats;
      return db.write(() => {
        getPool(poolId);
        const now = clock.now();
        const token = randomBytes(32).toString('base64url');
        const row: EnrolmentRow = {
          id: newId('runnerEnrolment'),
          poolId,
          tokenHash: sha256Hex(token),
          createdAt: now,
          createdBy: actorId,
          expiresAt: now + runnerLimits.enrolmentMinutes * 60_000,
          usedAt: null,
          machineId: null,
          cancelledAt: null,
        };
        store.insertEnrolment(row);
        record(row, 'runner_enrolment.created', { ...deps, actorId });
        const { id, expiresAt } = row;
        return { runnerEnrolment: enrolmentOf(row, now), text: enrolmentText({ id, poolId, expiresAt, token }) };
      });
    },

    /** Cancels an enrolment; a repeated call changes nothing. 409 with the reason when it cannot be cancelled any more. */
    cancelEnrolment(id: string, actorId: string): RunnerEnrolment {
      return db.write(() => {
        const row = store.findEnrolment(id);
        if (!row) throw notFound('enrolment');
        const now = clock.now();
        if (row.cancelledAt !== null) return enrolmentOf(row, now);
        if (!store.takeEnrolment(id, now, { cancelledAt: now })) throw refusalOf(row, now);
        record(row, 'runner_enrolment.cancelled', { ...deps, actorId });
        return enrolmentOf({ ...row, cancelledAt: now }, now);
      });
    },

    /** Returns the SHA-256 of the token of an enrolment, with which a machine proves its keys. */
    findTokenHash: (id: string): string | undefined => store.findEnrolment(id)?.tokenHash,
    enrol: createEnrol(deps),
  };
}

type Enrolment = { keys: MachineKeys; facts: MachineFacts };

/** Throws 404 or 409 with the reason for an enrolment that cannot be used now, and for a key that is known. */
function requireOpen(enrolment: EnrolmentRow | undefined, known: MachineRow | undefined, now: number): EnrolmentRow {
  if (!enrolment) throw notFound('enrolment');
  if (enrolmentStatusOf(enrolment, now) !== 'open') throw refusalOf(enrolment, now);
  if (known)
    throw failedPrecondition(
      'runner_key_enrolled',
      'A machine with this key was enrolled already. Make new keys and enrol with them.',
    );
  return enrolment;
}

/** Reports whether this is the machine that used an enrolment, which did not get the answer. */
const isRepeated = (machine: MachineRow, enrolment: EnrolmentRow | undefined, { sealKey }: MachineKeys): boolean =>
  machine.id === enrolment?.machineId && machine.sealKey === sealKey && machine.state !== 'revoked';

/**
 * Returns the enrolment of a machine. The caller has checked the proof of the machine's keys. It is taken
 * once: a repeated call of the same machine returns that machine, another one is refused. 409 with the reason for an
 * enrolment that cannot be used.
 */
const createEnrol =
  ({ db, clock, store, activity, outbox }: Deps) =>
  (enrolmentId: string, { keys, facts }: Enrolment): MachineRow =>
    db.write(() => {
      const now = clock.now();
      const found = store.findEnrolment(enrolmentId);
      const known = store.findMachineByKey(keys.publicKey);
      if (known && isRepeated(known, found, keys)) return known;
      const enrolment = requireOpen(found, known, now);
      const { poolId, createdBy } = enrolment;
      const id = newId('runnerMachine');
      const seen = { enrolledAt: now, lastSeenAt: now, revokedAt: null, revokedBy: null };
      const machine: MachineRow = { id, poolId, state: 'active', ...keys, facts, ...seen };
      store.insertMachine(machine);
      if (!store.takeEnrolment(enrolmentId, now, { usedAt: now, machineId: id })) throw refusalOf(enrolment, now);
      const metadata = { poolId, enrolmentId };
      activity.record({ actorId: createdBy, action: 'runner.enrolled', targetType: 'runner', targetId: id, metadata });
      outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id, status: 'active' });
      return machine;
    });
