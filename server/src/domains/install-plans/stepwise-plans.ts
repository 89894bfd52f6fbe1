import { sha256Hex } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import {
  advancedMetadata,
  type Diagnostic,
  type IdempotencyKey,
  nextStepOf,
  type PlanRow,
  publicPart,
} from './plan-record.ts';
import { createReconciler, type Move, type ReconcilerPorts } from './reconcile.ts';

type Store<R, F, P, C extends string> = {
  find(id: string): R | undefined;
  findByKey(key: IdempotencyKey): R | undefined;
  move(id: string, generation: number, to: Move<F, P | 'reviewable' | 'failed', C>): boolean;
  findOldestStep(): number | undefined;
  listUntouchedSince(at: number, limit: number): R[];
};

/** Activity entry of a step. Without an actor the server took the step. */
type AdvancedEntry = { actorId: string | undefined; metadata: ReturnType<typeof advancedMetadata> };
/** Public fields of a record, its next step and its links. */
type PlanAnswerParts<P, C extends string> = {
  common: ReturnType<typeof publicPart<P, C>>;
  next: ReturnType<typeof nextStepOf>;
};

type PlanFacts = { planRunId?: string | undefined };

/** One kind of plan that advances step by step: installations or updates. */
type PlanKind<R extends PlanRow<F, P, C>, S, F extends PlanFacts, P, C extends string, A> = Pick<
  ReconcilerPorts<R, S, F, P, C, A>,
  'db' | 'clock' | 'noun' | 'steps' | 'stateOf' | 'phaseOf' | 'codeOf' | 'retryable'
> & {
  store: Store<R, F, NoInfer<P>, C>;
  /** Folder of its addresses, such as `install-plans`. */
  folder: string;
  /** Noun for a missing record. */
  recordNoun: string;
  newId: () => string;
  /** True when a plan of another kind was created under this key. */
  isKeyTaken: (key: IdempotencyKey) => boolean;
  cancelled: Diagnostic<C>;
  expired: Diagnostic<C>;
  /** Records a step in the activity and the outbox. */
  recordAdvanced: (row: R, entry: AdvancedEntry) => void;
  answerOf: (row: R, parts: PlanAnswerParts<P, C>) => A;
};

type KeyedInput = { workspaceId: string; actorId: string; key: string; requestDigest: string };

/** Columns of a record before its first step. Times in epoch milliseconds. */
export type NewPlan = IdempotencyKey & {
  id: string;
  requestDigest: string;
  generation: 0;
  facts: Record<string, never>;
  diagnostic: null;
  createdAt: number;
  updatedAt: number;
  completedAt: null;
};

/** Creates, advances, ends and reads the plans of one kind. */
export function createStepwisePlans<R extends PlanRow<F, P, C>, S, F extends PlanFacts, P, C extends string, A>(
  kind: PlanKind<R, S, F, P, C, A>,
) {
  const { store } = kind;

  function getRow(id: string): R {
    const row = store.find(id);
    if (!row) throw notFound(kind.recordNoun);
    return row;
  }

  const answerOf = (row: R): A =>
    kind.answerOf(row, { common: publicPart<P, C>(row), next: nextStepOf(kind.folder, row) });

  const { advance, fail } = createReconciler({
    ...kind,
    getRow,
    answerOf,
    move: store.move,
    record: (row, actorId) => kind.recordAdvanced(row, { actorId, metadata: advancedMetadata(row) }),
  });

  return {
    /**
     * Returns the record that the same request created under its key, or the one that `insert` creates now, in the caller's transaction.
     * 409 `idempotency_conflict` when the key was used for another request.
     */
    createOnce(
      { key, actorId, workspaceId, requestDigest }: KeyedInput,
      insert: (columns: NewPlan) => void,
    ): { row: R; isNew: boolean } {
      const idempotencyKey = { workspaceId, createdBy: actorId, keyDigest: sha256Hex(key) };
      const known = store.findByKey(idempotencyKey);
      if (known?.requestDigest === requestDigest) return { row: known, isNew: false };
      if (known !== undefined || kind.isKeyTaken(idempotencyKey))
        throw new AppError('idempotency_conflict', 'This Idempotency-Key was used for another request. Use a new key.');
      const id = kind.newId();
      const now = kind.clock.now();
      const progress = { generation: 0, facts: {}, diagnostic: null, completedAt: null } as const;
      insert({ ...progress, ...idempotencyKey, id, requestDigest, createdAt: now, updatedAt: now });
      return { row: getRow(id), isNew: true };
    },
    advance,
    /** In the caller's transaction. 409 `reconcile_in_progress`; a plan that has ended is unchanged. */
    cancel: (id: string, actorId: string): A => fail(id, kind.cancelled, actorId),
    /** Ends abandoned plans; in the caller's transaction. */
    expiring: {
      findOldestStep: store.findOldestStep,
      listUntouchedSince: store.listUntouchedSince,
      expire: (id: string): A => fail(id, kind.expired),
    },
    answerOf,
    getAnswer: (id: string): A => answerOf(getRow(id)),
    getCreator: (id: string): string => getRow(id).createdBy,
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId,
    hasKey: (key: IdempotencyKey): boolean => store.findByKey(key) !== undefined,
  };
}
