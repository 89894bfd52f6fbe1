import { required } from '#server/kernel/required';
import { requireOperation } from './availability.ts';
import type { Answer, OperationPorts, Operations } from './operations.ts';
import { requireOptionalCondition, requireVersion } from './preconditions.ts';
import { noResource } from './refusals.ts';
import type { TargetRequest } from './request-types.ts';
import type { ResourceRow } from './store.ts';

/** The requests on a Resource that exists: observe, refresh and delete. They need no installed form. */
export function createLifecycleRequests({
  packages,
  publication,
  operations,
}: OperationPorts & { operations: Operations }) {
  /** Checks operation and condition. Returns the Interfaces that the form publishes. */
  function check(request: TargetRequest, current: ResourceRow, operation: 'observe' | 'refresh' | 'delete') {
    const found = packages.findPackage(current.form);
    if (found?.state === 'installed') requireOperation(found.package, operation);
    if (request.form) requireVersion(request.conditions, current);
    else requireOptionalCondition(request.conditions, current);
    return (found?.state === 'installed' && found.package.interfaces) || [];
  }

  return {
    /** Compares the native object (`observe`), or publishes its state again (`refresh`). */
    look: <R>(request: TargetRequest, operation: 'observe' | 'refresh', answer: Answer<R>) =>
      operations.run(
        request,
        { operation },
        {
          answer,
          gone: () => {
            throw noResource();
          },
          prepare: async (situation) => {
            const current = required(situation.current, 'Resource of a look');
            const blueprints = check(request, current, operation);
            const { workspaceId, id, name, generation } = current;
            return {
              base: generation,
              ...(operation === 'refresh' && {
                check: () =>
                  publication.checkPublication({ workspaceId, resourceId: id, resourceName: name, blueprints }),
              }),
            };
          },
        },
      ),

    /** Deletes a Resource and its native object; nothing is left to do for one that is gone. */
    delete: <R>(request: TargetRequest, answer: Answer<R>) =>
      operations.run(
        request,
        { operation: 'delete' },
        {
          answer,
          gone: () => answer(undefined),
          prepare: async (situation) => {
            const current = required(situation.current, 'Resource of a delete');
            check(request, current, 'delete');
            return { base: current.generation };
          },
        },
      ),
  };
}
