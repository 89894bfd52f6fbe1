import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { listOf } from '../kernel/scalars.ts';
import { Run } from '../runs/contract.ts';
import { AdoptLateState, LateState, lateStatePhases } from './contract.ts';

const lateStatePath = z.strictObject({ lateStateId: z.string() });
const adopted = z.strictObject({ lateState: LateState, run: Run });

/** States of applies that were ended without their machines. */
export const lateStatesApi = defineApi({
  listLateStates: {
    method: 'GET',
    path: '/capsules/:capsuleId/late-states',
    summary: 'States that arrived after an apply of the Capsule was ended, newest first',
    class: 'R',
    params: z.strictObject({ capsuleId: z.string() }),
    query: pageQuery.extend({
      /** Only those of this apply. */
      runId: z.string().min(1).max(64).optional(),
      phase: listOf(lateStatePhases).optional(),
    }),
    replies: { 200: z.strictObject({ lateStates: z.array(LateState), nextCursor: z.string().optional() }) },
  },
  adoptLateState: {
    method: 'POST',
    path: '/late-states/:lateStateId/adopt',
    summary: 'Create the restore Run that makes a late state the current one',
    class: 'W',
    params: lateStatePath,
    body: AdoptLateState,
    replies: { 200: adopted, 201: adopted },
    errors: ['failed_precondition'],
  },
  dismissLateState: {
    method: 'POST',
    path: '/late-states/:lateStateId/dismiss',
    summary: 'Delete a late state',
    class: 'W',
    whenArchived: true,
    params: lateStatePath,
    replies: { 200: z.strictObject({ lateState: LateState }) },
    errors: ['failed_precondition'],
  },
});
