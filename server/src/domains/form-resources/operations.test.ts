import { expect, it } from 'vitest';
import { formCodeOf, isRetryable } from '#shared/form-errors';
import { createLocks } from './locks.ts';
import { createOperations, type OperationPorts } from './operations.ts';

it('an operation that waits too long for another one of the same Resource is 409 resource_busy, and retryable', async () => {
  const target = { workspaceId: 'ws_1', kind: 'Bucket', name: 'one' };
  const locks = createLocks(1);
  const { run } = createOperations({ locks } as OperationPorts);
  const request = {
    target,
    actorId: 'sub_1',
    form: undefined,
    conditions: { ifMatch: undefined, ifNoneMatch: undefined },
    key: undefined,
  };
  const never = () => Promise.reject(new Error('the Resource is held'));
  const release = await locks.take(target);
  const refused = run(request, { operation: 'observe' }, { prepare: never, answer: () => undefined });
  await expect(refused).rejects.toMatchObject({ code: 'resource_busy', status: 409 });
  expect([formCodeOf('resource_busy', 409), isRetryable('resource_busy')]).toEqual(['resource_busy', true]);
  release?.();
});
