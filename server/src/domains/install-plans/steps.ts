import type { CapsulesService } from '#server/domains/capsules/index';
import type { Adoption } from '#server/domains/install-configs/index';
import type { SourcesService } from '#server/domains/sources/index';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { InstallParts } from '#shared/install-configs/parts';
import { isPassable } from '#shared/manifest/contract';
import { type AuthorityPorts, commitAuthority } from './authority-commit.ts';
import { createCheckStep } from './check-step.ts';
import { type BoundDefaultPorts, listBoundDefaults } from './checks.ts';
import { type ChooseModulePorts, createChooseModuleStep } from './choose-module.ts';
import { createPlanSteps, diagnose, laneOf, type PlanStepPorts } from './plan-steps.ts';
import { acceptPreflight, type PreflightPorts } from './preflight.ts';
import { done, failed, guardStep, waiting } from './reconcile.ts';
import { findReportProblem, unready } from './report-problem.ts';
import { isSameSource } from './source-identity.ts';
import type { InstallState, InstallStep } from './state.ts';

export type InstallStepPorts = PlanStepPorts &
  PreflightPorts &
  ChooseModulePorts &
  AuthorityPorts & {
    sources: Pick<SourcesService, 'findOrCreate'>;
    capsules: Pick<CapsulesService, 'create'>;
    bindings: BoundDefaultPorts;
    adoption: Pick<Adoption, 'adopt'>;
  };

/** The ordered steps from a Git address to a reviewable plan. Crash recovery and "advance one step" use the same code. */
export function createInstallSteps(ports: InstallStepPorts): readonly InstallStep[] {
  const { requestSync, awaitSnapshot, createPlan, awaitPlan } = createPlanSteps(ports);
  const onSource: InstallStep[] = [
    requestSync,
    awaitSnapshot,
    createChooseModuleStep(ports),
    createCompatibilityStep(ports),
    createCapsuleStep(ports),
  ];
  return [
    createPreflightStep(ports),
    createSourceStep(ports),
    ...onSource.map((step) => guardStep(step, (state) => isSameSource(ports, state), sourceChanged)),
    createPlan,
    awaitPlan,
  ];
}

const sourceChanged = {
  code: 'source_identity_changed',
  message: 'The Source was deleted, disabled, or changed to another URL or Connection. Inspect the repository again.',
} as const;

const checkInputOf = ({ bindings }: InstallStepPorts, state: InstallState, parts: InstallParts) => ({
  state,
  parts,
  defaults: listBoundDefaults(bindings, state.row.request.options?.providerBindings ?? [], parts),
});

/** Replaces every step before the Capsule when a preflight was reviewed. */
const createPreflightStep = (ports: InstallStepPorts): InstallStep => ({
  name: 'take_preflight',
  stage: 'preparation',
  isDone: ({ row, compatibilityReportId }) =>
    row.request.preflight === undefined || compatibilityReportId !== undefined,
  take: async (state) => () => {
    const { preflight, ...request } = state.row.request;
    if (!preflight) return waiting;
    const accepted = acceptPreflight(ports, {
      workspaceId: state.row.workspaceId,
      request: { ...request, preflight },
    });
    if ('code' in accepted) return failed(accepted);
    const { facts, parts } = accepted;
    return findReportProblem(accepted.report.report, checkInputOf(ports, state, parts)) ?? done(facts);
  },
});

const createSourceStep = ({ sources }: InstallStepPorts): InstallStep => ({
  name: 'find_source',
  stage: 'source',
  isDone: ({ sourceId }) => sourceId !== undefined,
  take: async (state) => () => {
    const { name, url, authConnectionId } = state.row.request.source;
    const input = { workspaceId: state.row.workspaceId, name, url, authConnectionId, lane: laneOf(state) };
    return done({ sourceId: sources.findOrCreate(input, state.row.createdBy) });
  },
});

const createCompatibilityStep = (ports: InstallStepPorts): InstallStep =>
  createCheckStep({
    inspection: ports.inspection,
    installConfigIdOf: ({ installConfigBaseId }: InstallState) => installConfigBaseId,
    unready,
    accept: ({ state, report, facts }) => {
      const { row, installConfigBaseId } = state;
      const ux = ports.adoption.adopt({
        workspaceId: row.workspaceId,
        report,
        capsuleName: row.request.capsule.name,
        installConfigId: installConfigBaseId,
      });
      if (ux.status === 'invalid' && !isPassable(ux)) return diagnose(ux.diagnosticCode, ux.message);
      const accepted = ux.status === 'accepted' ? { installConfigId: ux.installConfigId } : {};
      const startId = accepted.installConfigId ?? installConfigBaseId ?? genericInstallConfigId;
      const { parts } = ports.adoption.getStart(startId, report);
      const problem = findReportProblem(report, checkInputOf(ports, state, parts));
      return problem ?? done({ ...accepted, ...facts });
    },
  });

/** One transaction creates configuration, Capsule and bindings, and deletes the private variables of the install plan. */
const createCapsuleStep = (ports: InstallStepPorts): InstallStep => ({
  name: 'create_capsule',
  stage: 'preparation',
  isDone: ({ capsuleId }) => capsuleId !== undefined,
  take: async (state) => () => {
    const capsule = commitAuthority(ports, state);
    return done({ installConfigId: capsule.installConfigId, capsuleId: capsule.id });
  },
});
