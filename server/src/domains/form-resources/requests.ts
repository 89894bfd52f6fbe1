import { createDesiredRequests } from './desired-requests.ts';
import { createLifecycleRequests } from './lifecycle-requests.ts';
import { createOperations, type OperationPorts } from './operations.ts';

export type FormRequests = ReturnType<typeof createFormRequests>;

/** The requests that change Resources, each in the order of checks of the protocol. */
export function createFormRequests(ports: OperationPorts) {
  const operations = createOperations(ports);
  return { ...createDesiredRequests({ ...ports, operations }), ...createLifecycleRequests({ ...ports, operations }) };
}
