import { ulid } from 'ulid';
import { AppError } from '#server/kernel/errors';
import type { StagedWrite } from '#server/kernel/http/index';
import { newId } from '#server/kernel/ids';
import { required } from '#server/kernel/required';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { JsonObject } from '#shared/kernel/json';
import { requireIdentity } from './availability.ts';
import type { ChangePorts, Changes } from './changes.ts';
import { operationIdentityOf } from './digests.ts';
import type { createLocks } from './locks.ts';
import type { FormPackagesPort } from './ports.ts';
import { otherOperation, ownedObject, versionConflict } from './refusals.ts';
import { keyOf } from './request-checks.ts';
import type { TargetRequest } from './request-types.ts';
import type { ChangeOperation } from './schema.ts';
import type { OperationRow, ResourceRow } from './store.ts';

export type OperationPorts = ChangePorts & {
  packages: FormPackagesPort;
  changes: Changes;
  locks: ReturnType<typeof createLocks>;
};
/** Writes an answer about a Resource; undefined for one that is gone. */
export type Answer<R> = (row: ResourceRow | undefined) => R;
/** The Resource before a change, and the form that the request names. */
export type Situation = { current: ResourceRow | undefined; form: FormIdentity };
/** Generation that is changed, and a check in the transaction that starts the change. */
export type Prepared = { base: number; check?: () => void };
type Subject = { operation: ChangeOperation; spec?: JsonObject; nativeId?: string };
type Plan<R> = {
  /** Checks the request. */
  prepare: (situation: Situation) => Promise<Prepared>;
  /** Answers for a Resource that does not exist, where the operation does not create it. */
  gone?: () => R;
  answer: Answer<R>;
};

export type Operations = ReturnType<typeof createOperations>;

/** Runs the operations on Resources: one at a time of each Resource, and a repeated one only once. */
export function createOperations(ports: OperationPorts) {
  const { store, packages, changes, locks } = ports;

  async function prepareStages<R>(
    request: TargetRequest,
    { subject, plan }: { subject: Subject; plan: Plan<R> },
  ): Promise<Omit<StagedWrite<R>, 'release'>> {
    const { target, actorId } = request;
    changes.settle(target);
    const current = store.findAt(target);
    const form = plan.gone ? (request.form ?? current?.form) : findFormOf(packages, request);
    if (form) requireIdentity(packages, form, current);
    const key = keyOf(request);
    if (!form) return unstaged(required(plan.gone, 'answer without a form'));
    const identity = operationIdentityOf({ ...target, ...subject, principal: actorId, key, form });
    const operationKey = { workspaceId: target.workspaceId, principal: actorId, key };
    const repeated = store.findOperation(operationKey);
    if (repeated) return unstaged(() => answerAgain(ports, { repeated, identity, answer: plan.answer }));
    if (!current && plan.gone) return unstaged(plan.gone);
    const prepared = await plan.prepare({ current, form });
    const operation: OperationRow = {
      ...target,
      principal: actorId,
      key,
      identity,
      operation: subject.operation,
      resourceId: current?.id ?? newId('formResource'),
      nativeId: subject.nativeId ?? current?.nativeId ?? ulid(),
      form,
      base: prepared.base,
      spec: subject.spec ?? null,
      createdAt: ports.clock.now(),
      completedAt: null,
    };
    return stagesOf(ports, operation, { answer: plan.answer, check: prepared.check });
  }

  return {
    /** Prepares an operation and holds its Resource until the returned write is released. Throws 409 `resource_busy`. */
    async run<R>(request: TargetRequest, subject: Subject, plan: Plan<R>): Promise<StagedWrite<R>> {
      const unlock = await locks.take(request.target);
      if (!unlock) throw new AppError('resource_busy', 'Another operation works on this Resource. Try again later.');
      const release = () => {
        changes.trySettle(request.target);
        unlock();
      };
      try {
        return { ...(await prepareStages(request, { subject, plan })), release };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/**
 * Returns the exact form of a request; without one, the one that is activated of the kind. Throws 404 `form_unknown` and
 * 409 `form_identity_conflict`.
 */
export function findFormOf(
  packages: Pick<FormPackagesPort, 'findActivated'>,
  { form, target }: TargetRequest,
): FormIdentity {
  if (form) return form;
  const [first, ...more] = packages.findActivated(target.kind, target.workspaceId);
  if (!first) throw new AppError('form_unknown', 'No form of this kind is activated in this space. Ask the operator.');
  if (more.length > 0)
    throw new AppError(
      'form_identity_conflict',
      'Several forms of this kind are activated. Name the exact form with the form host protocol.',
    );
  return { formRef: first.formRef, packageDigest: first.packageDigest };
}

/** Answers a repeated operation with the Resource as it is now. Throws 412 when the key stands for another operation. */
function answerAgain<R>(
  { store }: Pick<OperationPorts, 'store'>,
  { repeated, identity, answer }: { repeated: OperationRow; identity: string; answer: Answer<R> },
): R {
  if (repeated.identity !== identity) throw otherOperation();
  if (repeated.operation === 'delete') return answer(undefined);
  const row = store.find(repeated.resourceId);
  if (!row) throw versionConflict('This operation was completed, and its Resource was deleted since. Use a new key.');
  return answer(row);
}

function stagesOf<R>(
  { changes, store }: OperationPorts,
  operation: OperationRow,
  { answer, check }: { answer: Answer<R>; check: (() => void) | undefined },
): Omit<StagedWrite<R>, 'release'> {
  const commit = () => {
    changes.commit(operation);
    return answer(store.find(operation.resourceId));
  };
  const isTaken = ({ nativeId }: OperationRow) =>
    store.isNameTaken(nativeId) || store.findStartedOf(nativeId) !== undefined;
  const isOfLedger = operation.operation === 'observe' || operation.operation === 'refresh';
  return {
    begin: () => {
      // Another Resource may have taken the key or the native object while this request was checked.
      if (store.findOperation(operation)) throw otherOperation();
      if (operation.operation === 'import' && isTaken(operation)) throw ownedObject();
      check?.();
      changes.start(operation);
      return isOfLedger ? commit() : undefined;
    },
    effect: async () => changes.perform(operation),
    commit,
  };
}

const unstaged = <R>(work: () => R): Omit<StagedWrite<R>, 'release'> => ({
  begin: work,
  effect: async () => {},
  commit: work,
});
