import type { Operation } from './request.ts';

/** Filled from the endpoint tables when the client is built; the bundle contains plain data and no schema. */
declare const __OPERATIONS__: Record<string, Operation>;
export const operations: Record<string, Operation> = __OPERATIONS__;
