import { z } from 'zod';
import { DependencyInput } from '../dependencies/contract.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { type BodyOf, defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { VariableName } from '../kernel/scalars.ts';
import {
  InitialConfiguration,
  InstallCapsule,
  InstallOptions,
  InstallPlan,
  InstallPreflight,
  InstallSource,
  installPhases,
  nextStep,
} from './contract.ts';

const planPath = z.strictObject({ installPlanId: z.string() });

export const InstallPlanAnswer = z.strictObject({ installPlan: InstallPlan, ...nextStep });
export type InstallPlanAnswer = z.infer<typeof InstallPlanAnswer>;

const CreateInstallPlan = z.strictObject({
  source: InstallSource,
  capsule: InstallCapsule,
  options: InstallOptions.optional(),
  preflight: InstallPreflight.optional(),
  variables: z.record(VariableName, AnyJson).optional(),
  secretVariables: z.array(VariableName).max(256).optional(),
  initialConfiguration: InitialConfiguration.optional(),
  /** Created with the Capsule, before its first plan; a variable that one of them feeds counts as set. */
  dependencies: z.array(DependencyInput).max(32).optional(),
});

export const installPlansApi = defineApi({
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
      'already_exists',
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
    replyHeaders: { 202: ['retry-after'] },
    errors: ['reconcile_in_progress', 'reconcile_conflict', 'runner_unavailable'],
  },
  cancelInstallPlan: {
    method: 'POST',
    path: '/install-plans/:installPlanId/cancel',
    summary: 'End an installation before its plan; one that has ended stays as it is',
    class: 'propose',
    whenArchived: true,
    params: planPath,
    replies: { 200: InstallPlanAnswer },
    errors: ['reconcile_in_progress'],
  },
});

export type CreateInstallPlan = BodyOf<typeof installPlansApi.createInstallPlan>;
