import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { VariableName } from '../kernel/scalars.ts';
import { limits } from '../limits.ts';
import { ConfigurationPlanAnswer, PlanConfiguration } from './configuration.ts';
import {
  InitialConfiguration,
  InstallCapsule,
  InstallOptions,
  InstallPlan,
  InstallPreflight,
  InstallSource,
  installPhases,
} from './contract.ts';

const planPath = z.strictObject({ installPlanId: z.string() });

export const InstallPlanAnswer = z.strictObject({
  installPlan: InstallPlan,
  nextAction: z.enum(['reconcile', 'review_run', 'none']),
  links: z.strictObject({ self: z.string(), reconcile: z.string().optional(), run: z.string().optional() }),
});
export type InstallPlanAnswer = z.infer<typeof InstallPlanAnswer>;

export const CreateInstallPlan = z.strictObject({
  source: InstallSource,
  capsule: InstallCapsule,
  options: InstallOptions.optional(),
  preflight: InstallPreflight.optional(),
  variables: z.record(VariableName, z.json()).optional(),
  secretVariables: z.array(VariableName).max(256).optional(),
  initialConfiguration: InitialConfiguration.optional(),
});
export type CreateInstallPlan = z.infer<typeof CreateInstallPlan>;

export const coordinatorsApi = defineApi({
  createInstallPlan: {
    method: 'POST',
    path: '/workspaces/:workspaceId/install-plans',
    summary: 'Start an installation from Git; it stops at a reviewable plan Run',
    class: 'propose',
    descriptor: 47,
    idempotency: 'required',
    params: z.strictObject({ workspaceId: z.string() }),
    body: CreateInstallPlan,
    replies: { 200: InstallPlanAnswer, 201: InstallPlanAnswer },
    errors: [
      'invalid_argument',
      'failed_precondition',
      'idempotency_conflict',
      'connection_not_found',
      'repository_install_ux_invalid',
      'repository_install_ux_stale',
    ],
  },
  listInstallPlans: {
    method: 'GET',
    path: '/workspaces/:workspaceId/install-plans',
    summary: 'Installations of a Workspace, newest first',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQuery.extend({ phase: z.enum(installPhases).optional() }),
    replies: { 200: z.strictObject({ installPlans: z.array(InstallPlan), nextCursor: z.string().optional() }) },
  },
  getInstallPlan: {
    method: 'GET',
    path: '/install-plans/:installPlanId',
    summary: 'Read an installation without side effects',
    class: 'R',
    descriptor: 48,
    params: planPath,
    replies: { 200: InstallPlanAnswer },
  },
  reconcileInstallPlan: {
    method: 'POST',
    path: '/install-plans/:installPlanId/reconcile',
    summary: 'Advance an installation by exactly one step',
    class: 'propose',
    descriptor: 49,
    params: planPath,
    replies: { 200: InstallPlanAnswer, 202: InstallPlanAnswer },
    errors: ['reconcile_in_progress', 'reconcile_conflict', 'runner_unavailable'],
  },
  planConfiguration: {
    method: 'POST',
    path: '/capsules/:capsuleId/configuration-plans',
    summary: 'Change the variables and provider bindings of a Capsule; it stops at a reviewable plan Run',
    class: 'W',
    descriptor: 39,
    idempotency: 'required',
    params: z.strictObject({ capsuleId: z.string() }),
    body: PlanConfiguration,
    maxBodyBytes: limits.configurationRequestBytes,
    replies: { 200: ConfigurationPlanAnswer, 201: ConfigurationPlanAnswer },
    errors: ['invalid_argument', 'failed_precondition', 'runner_unavailable', 'feature_unavailable'],
  },
});
