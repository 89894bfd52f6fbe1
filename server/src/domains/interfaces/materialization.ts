import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { createDeadline } from '#server/kernel/deadline';
import { jsonDigest } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { WorkGate } from '#server/kernel/work-gate';
import type { MaterializationError } from '#shared/interfaces/reasons';
import { interfaceLimits } from '#shared/limits';
import { ended, type IntentRow, type IntentsStore } from './intents-store.ts';
import { MaterializationFault } from './materialize.ts';
import type { IntentItem } from './schema.ts';

type Deps = {
  db: Db;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
  outbox: Pick<Outbox, 'push'>;
  intents: IntentsStore;
  makeItem: (intent: IntentRow) => IntentItem[];
};

const intentsPerSweep = 20;
const { attemptDelaysMs } = interfaceLimits;

/** Makes the Interfaces of applies, item by item, and keeps what could not be made as failures. */
export function createMaterialization({ db, clock, log, workGate, outbox, intents, makeItem }: Deps) {
  const deadline = createDeadline({
    clock,
    log,
    gate: workGate,
    findNext: intents.findNextDue,
    handlePast: (now) => {
      for (const intent of intents.listDue(now, intentsPerSweep)) attempt(intent);
    },
    failure: 'Interfaces could not be made after an apply',
  });

  /** Makes the items that are left, each in a transaction of its own, until one fails. */
  function attempt(intent: IntentRow): void {
    let current: IntentRow | undefined = intent;
    try {
      while (current) {
        failpoint('interfaces.item');
        current = advance(current);
        failpoint('interfaces.made');
      }
    } catch (error) {
      const at = intents.find(intent.id);
      const code = codeOf(error);
      if (code === 'ledger_unavailable') log.error(faultFields(error), 'an Interface could not be made');
      if (at?.status === 'pending') fail(at, code);
    }
  }

  /** Makes the next item. Returns the intent afterwards, or undefined when it has ended. */
  function advance({ id }: IntentRow): IntentRow | undefined {
    return db.write(() => {
      const intent = intents.find(id);
      if (intent?.status !== 'pending') return undefined;
      const items = intent.nextItemIndex < intent.items.length ? makeItem(intent) : intent.items;
      const nextItemIndex = Math.min(intent.nextItemIndex + 1, items.length);
      const isDone = nextItemIndex === items.length;
      const set = { items, nextItemIndex, ...(isDone && { status: 'done' as const, ...ended }) };
      if (!intents.update(intent, set)) throw new Error('the intent was changed by another transaction');
      return isDone ? undefined : { ...intent, ...set };
    });
  }

  function fail(intent: IntentRow, code: MaterializationError): void {
    const now = clock.now();
    const attempts = intent.attempts + 1;
    const delay = attemptDelaysMs[attempts];
    const { id, nextItemIndex } = intent;
    const error = { errorCode: code, errorDigest: jsonDigest({ id, nextItemIndex, code }), errorAt: now };
    const ends =
      delay === undefined ? { status: 'failed' as const, dueAt: null, failedAt: now } : { dueAt: now + delay };
    db.write(() => {
      const isUpdated = intents.update(intent, { attempts, ...error, ...ends });
      // The failures of a Capsule have no kind of their own.
      if (isUpdated && delay === undefined)
        outbox.push({ workspaceId: intent.workspaceId, kind: 'capsule', recordId: intent.capsuleId });
    });
  }

  return {
    /** Call after the transaction that wrote an intent. */
    arm: (): void => db.afterCommit(deadline.arm),
    start: deadline.start,
    stop: deadline.stop,
  };
}
export type Materialization = ReturnType<typeof createMaterialization>;

function codeOf(error: unknown): MaterializationError {
  if (error instanceof MaterializationFault) return error.code;
  const code = error instanceof AppError ? error.code : undefined;
  if (code === 'already_exists') return 'interface_name_conflict';
  return code === 'invalid_argument' ? 'interface_document_refused' : 'ledger_unavailable';
}
