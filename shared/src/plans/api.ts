import { z } from 'zod';
import { Capsule } from '../capsules/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { limitOf } from '../kernel/page.ts';
import { Reason } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { Run, RunnerPoolId } from '../runs/contract.ts';
import { Cost } from '../usage/contract.ts';
import { InputChanges, PlanComparison } from './comparison.ts';
import { PlanDocument } from './document.ts';
import { PlanSummary } from './summary.ts';
import { Toolchain } from './toolchain.ts';

/** Resources of a plan from an index on. */
const planPage = z.object({
  after: z
    .string()
    .regex(/^[0-9]{1,9}$/)
    .transform(Number)
    .optional(),
  limit: limitOf(pageSizes.log),
});
const runPath = z.strictObject({ runId: z.string() });
const capsulePath = z.strictObject({ capsuleId: z.string() });
/** A Run that was just queued; fields that are not known yet are absent. */
const NewRun = z.strictObject({ run: Run, planSummary: PlanSummary.optional(), cost: Cost.optional() });

export const plansApi = defineApi({
  deleteCapsule: {
    method: 'DELETE',
    path: '/capsules/:capsuleId',
    summary: 'Create a destroy plan for a Capsule; one that was never applied is discarded at once',
    class: 'W',
    descriptor: 30,
    params: capsulePath,
    replies: {
      200: z.strictObject({
        capsule: Capsule,
        abandoned: z.literal(true).optional(),
        alreadyDeleted: z.literal(true).optional(),
      }),
      201: NewRun,
    },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  planCapsule: {
    method: 'POST',
    path: '/capsules/:capsuleId/plan',
    summary: 'Plan a Capsule again',
    class: 'propose',
    descriptor: 38,
    params: capsulePath,
    body: z.strictObject({ compatibilityReportId: id('report').optional(), runnerId: RunnerPoolId.optional() }),
    replies: { 201: NewRun },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  planDestroy: {
    method: 'POST',
    path: '/capsules/:capsuleId/destroy-plan',
    summary: 'Create a destroy plan for all resources of a Capsule; it always waits for approval',
    class: 'W',
    descriptor: 40,
    params: capsulePath,
    body: z.strictObject({ runnerId: RunnerPoolId.optional() }),
    replies: { 201: NewRun },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  checkDrift: {
    method: 'POST',
    path: '/capsules/:capsuleId/drift-check',
    summary: 'Compare what a Capsule has made with what exists; nothing is ever changed by it',
    class: 'propose',
    descriptor: 41,
    params: capsulePath,
    replies: { 201: NewRun },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  planRollback: {
    method: 'POST',
    path: '/state-versions/:stateVersionId/rollback-plan',
    summary: 'Plan a return to the commit of an earlier state, with the configuration of today',
    class: 'W',
    descriptor: 74,
    params: z.strictObject({ stateVersionId: z.string() }),
    replies: { 201: NewRun },
    errors: ['failed_precondition', 'runner_unavailable'],
  },
  getToolchain: {
    method: 'GET',
    path: '/capsules/:capsuleId/toolchain',
    summary: 'Versions of the tool and the providers that made the current state of a Capsule',
    class: 'R',
    params: capsulePath,
    replies: { 200: z.strictObject({ toolchain: Toolchain.nullable() }) },
  },
  getRunPlan: {
    method: 'GET',
    path: '/runs/:runId/plan',
    summary: 'The plan of a Run, redacted, destroys and replaces first',
    class: 'R',
    withoutOAuth: true,
    params: runPath,
    query: planPage,
    replies: { 200: z.strictObject({ plan: PlanDocument }) },
    errors: ['failed_precondition'],
  },
  comparePlans: {
    method: 'GET',
    path: '/runs/:runId/plan-comparison',
    summary: 'Differences of a plan from another plan of its Capsule',
    class: 'R',
    withoutOAuth: true,
    params: runPath,
    query: planPage.extend({ with: id('plan') }),
    replies: { 200: z.strictObject({ comparison: PlanComparison }) },
    errors: ['failed_precondition', 'invalid_argument'],
  },
  requestApproval: {
    method: 'POST',
    path: '/runs/:runId/approval-requests',
    summary: 'Ask those who may approve or apply a plan to review it, once per plan; it grants nothing',
    class: 'propose',
    rate: 'approvalRequests',
    params: runPath,
    body: z.strictObject({ note: Reason.optional() }),
    replies: { 200: z.strictObject({ run: Run }), 201: z.strictObject({ run: Run }) },
    errors: ['failed_precondition', 'invalid_argument'],
  },
  getInputChanges: {
    method: 'GET',
    path: '/runs/:runId/input-changes',
    summary: 'Inputs and Connections of a plan that differ from the last applied plan',
    class: 'R',
    withoutOAuth: true,
    params: runPath,
    replies: { 200: z.strictObject({ changes: InputChanges }) },
    errors: ['failed_precondition'],
  },
});
