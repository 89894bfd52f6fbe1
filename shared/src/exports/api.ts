import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { CurrentState, ExportCapsule, exportMediaType, ReadState } from './contract.ts';

const base = '/internal/v1';
const capsulePath = z.strictObject({ capsuleId: z.string() });

/** Moving a Capsule out, for the operator only: its answers may hold secrets in clear. Each use is in the audit trail. */
export const exportsApi = defineApi({
  exportCapsule: {
    method: 'POST',
    base,
    path: '/capsules/:capsuleId/exports',
    summary: 'Module, variables and lock file of a Capsule, and its state when requested (operator)',
    class: 'Op',
    longRunning: true,
    idempotency: 'none',
    whenArchived: true,
    params: capsulePath,
    body: ExportCapsule,
    streams: [exportMediaType],
    replies: {},
    errors: ['failed_precondition'],
  },
  readState: {
    method: 'POST',
    base,
    path: '/capsules/:capsuleId/state-reads',
    summary: 'The current state of a Capsule: a summary, one Output, or the whole state in clear (operator)',
    class: 'Op',
    idempotency: 'none',
    whenArchived: true,
    params: capsulePath,
    body: ReadState,
    replies: { 200: z.strictObject({ state: CurrentState }) },
    errors: ['failed_precondition'],
  },
});
