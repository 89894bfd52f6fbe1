import { z } from 'zod';
import { Capsule } from '../capsules/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { Digest } from '../kernel/scalars.ts';
import { Run } from '../runs/contract.ts';

export const appliesApi = defineApi({
  applyRun: {
    method: 'POST',
    path: '/runs/:runId/apply',
    summary: 'Apply exactly the reviewed plan',
    class: 'W',
    descriptor: 66,
    params: z.strictObject({ runId: z.string() }),
    body: z.strictObject({ planDigest: Digest.optional() }),
    replies: {
      200: z.strictObject({ run: Run, capsule: Capsule.optional() }),
      201: z.strictObject({ run: Run, capsule: Capsule.optional() }),
    },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
});
