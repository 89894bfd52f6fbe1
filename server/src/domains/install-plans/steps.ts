import type { CapsulesService } from '#server/domains/capsules/index';
import type { ToolManager } from '#server/domains/execution/index';
import { type Adoption, findVariableProblem, type InstallConfigsService } from '#server/domains/install-configs/index';
import { offersInterfaces, type PlansService } from '#server/domains/plans/index';
import type { ProviderBindingsService } from '#server/domains/provider-bindings/index';
import type { RunsService } from '#server/domains/runs/index';
import { type InspectionService, moduleMissing, type SourcesService } from '#server/domains/sources/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { genericInstallConfigId } from '#shared/install-configs/contract';
import type { InstallParts } from '#shared/install-configs/parts';
import { isPassable } from '#shared/manifest/contract';
import type { InstallModules } from '#shared/sources/module-scan';
import type { CompatibilityReport } from '#shared/sources/report';
import { commitAuthority } from './authority-commit.ts';
import type { InstallState, InstallStep } from './state.ts';
import {
  checkModule,
  createReviewSteps,
  createSyncSteps,
  diagnose,
  findingText,
  findUnready,
  laneOf,
} from './plan-steps.ts';
import { acceptPreflight } from './preflight.ts';
import { done, failed, take, waiting } from './reconcile.ts';
import { isSameSource, type SourceIdentityPorts } from './source-identity.ts';

type Deps = {
  runs: RunsService;
  sources: SourcesService;
  inspection: InspectionService;
  configs: InstallConfigsService;
  capsules: CapsulesService;
  bindings: ProviderBindingsService;
  adoption: Pick<Adoption, 'adopt' | 'findStart' | 'getStart'>;
  workspaces: Pick<WorkspacesService, 'getHandle'>;
  plans: Pick<PlansService, 'createPlan'>;
  toolManager: Pick<ToolManager, 'require'>;
};

/** The ordered steps from a Git address to a reviewable plan. Crash recovery and "advance one step" use the same code. */
export function createInstallSteps(deps: Deps): readonly InstallStep[] {
  const { requestSync, awaitSnapshot } = createSyncSteps(deps);
  const { createPlan, awaitPlan } = createReviewSteps(deps);

  const withDefaults = (state: InstallState) => ({ state, defaults: deps.bindings.listDefaults(bindingsOf(state)) });
  const bindingsOf = ({ row }: InstallState) => row.request.options?.providerBindings ?? [];

  /** Replaces every step before the Capsule when a preflight was reviewed. */
  const takePreflight: InstallStep = {
    name: 'take_preflight',
    stage: 'preparation',
    isDone: ({ row, compatibilityReportId }) =>
      row.request.preflight === undefined || compatibilityReportId !== undefined,
    take: async (state) => () => {
      const { preflight, ...request } = state.row.request;
      if (!preflight) return waiting;
      const accepted = acceptPreflight(deps, {
        workspaceId: state.row.workspaceId,
        request: { ...request, preflight },
      });
      if ('code' in accepted) return failed(accepted);
      const { facts, parts } = accepted;
      return findReportProblem(accepted.report.report, { ...withDefaults(state), parts }) ?? done(facts);
    },
  };

  const findSource: InstallStep = {
    name: 'find_source',
    stage: 'source',
    isDone: ({ sourceId }) => sourceId !== undefined,
    take: async (state) => () => {
      const { name, url, authConnectionId } = state.row.request.source;
      const input = { workspaceId: state.row.workspaceId, name, url, authConnectionId, lane: laneOf(state) };
      return done({ sourceId: deps.sources.findOrCreate(input, state.row.createdBy) });
    },
  };

  const chooseModule: InstallStep = {
    name: 'choose_module',
    stage: 'preparation',
    isDone: ({ installModulePath }) => installModulePath !== undefined,
    take: async (state) => {
      const { sourceId = '', sourceSnapshotId = '' } = state;
      const { modulePath } = state.row.request.options ?? {};
      const scan = await deps.inspection.findModules(sourceId, sourceSnapshotId, modulePath);
      return () => {
        const chosen = pickModule(scan, modulePath);
        if (typeof chosen !== 'string') return chosen;
        const { workspaceId, request } = state.row;
        const { url } = deps.sources.getSource(sourceId);
        const target = { url, path: request.source.path, modulePath: chosen };
        const installConfigBaseId = deps.configs.chooseBase(workspaceId, target);
        const installConfigBaseDigest = deps.configs.digestOf(installConfigBaseId);
        return done({ installConfigBaseId, installConfigBaseDigest, installModulePath: chosen });
      };
    },
  };

  const checkCompatibility: InstallStep = {
    name: 'check_compatibility',
    stage: 'preparation',
    isDone: ({ compatibilityReportId }) => compatibilityReportId !== undefined,
    take: async (state) => {
      const commit = await checkModule(deps, state, state.installConfigBaseId);
      return () => {
        const { report, run } = commit();
        const unready = unreadiness(report);
        if (unready) return unready;
        const { workspaceId, request } = state.row;
        const { installConfigBaseId } = state;
        const ux = deps.adoption.adopt({
          workspaceId,
          report,
          capsuleName: request.capsule.name,
          installConfigId: installConfigBaseId,
        });
        if (ux.status === 'invalid' && !isPassable(ux)) return diagnose(ux.diagnosticCode, ux.message);
        const accepted = ux.status === 'accepted' ? { installConfigId: ux.installConfigId } : {};
        const startId = accepted.installConfigId ?? installConfigBaseId ?? genericInstallConfigId;
        const { parts } = deps.adoption.getStart(startId, report);
        const problem = findReportProblem(report, { ...withDefaults(state), parts });
        return problem ?? done({ ...accepted, compatibilityReportId: report.id, compatibilityCheckRunId: run.id });
      };
    },
  };

  /** One transaction creates configuration, Capsule and bindings, and deletes the private variables of the install plan. */
  const createCapsule: InstallStep = {
    name: 'create_capsule',
    stage: 'preparation',
    isDone: ({ capsuleId }) => capsuleId !== undefined,
    take: async (state) => () => {
      const capsule = commitAuthority(deps, state);
      return done({ installConfigId: capsule.installConfigId, capsuleId: capsule.id });
    },
  };

  const onSource = [requestSync, awaitSnapshot, chooseModule, checkCompatibility, createCapsule];
  return [takePreflight, findSource, ...onSource.map((step) => withSource(step, deps)), createPlan, awaitPlan];
}

const sourceChanged = diagnose(
  'source_identity_changed',
  'The Source was deleted, disabled, or changed to another URL or Connection. Inspect the repository again.',
);

/** Fails a step when the Source is no longer the requested one, before its look-ups and when it writes. */
const withSource = (step: InstallStep, deps: SourceIdentityPorts): InstallStep => ({
  ...step,
  take: async (state) => {
    if (!isSameSource(deps, state)) return () => sourceChanged;
    const commit = await take(step, state);
    return () => (isSameSource(deps, state) ? commit() : sourceChanged);
  },
});

/** The requested path, or the only one of the snapshot. */
function pickModule(scan: InstallModules, requested: string | undefined) {
  if (scan.status === 'invalid') return scanProblem(scan);
  const paths = scan.modules.map(({ path }) => path);
  const path = requested ?? (paths.length === 1 ? paths[0] : undefined);
  if (path !== undefined && paths.includes(path)) return path;
  if (requested !== undefined) return diagnose('repository_install_module_not_found', moduleMissing);
  if (paths.length === 0)
    return diagnose(
      'repository_install_module_not_found',
      'The snapshot contains no module. Choose another ref or path.',
    );
  const choice = `The snapshot contains several modules. Choose one by options.modulePath: ${paths.join(', ')}`;
  return diagnose('repository_install_module_selection_required', choice);
}

function scanProblem({ findings: [first], reason }: Extract<InstallModules, { status: 'invalid' }>) {
  const message = first ? findingText(first) : `The scan of the snapshot ended with ${reason}.`;
  const code =
    reason === 'configuration_invalid' ? 'compatibility_not_ready' : 'generic_opentofu_compatibility_analysis_failed';
  return diagnose(code, message, { reason: first?.code ?? reason, controllerCode: reason });
}

function unreadiness(report: CompatibilityReport) {
  const unready = findUnready(report);
  if (!unready) return undefined;
  const { message = 'The module is not ready to be planned. Read its compatibility report.', ...why } = unready;
  return diagnose('compatibility_not_ready', message, why);
}

function findReportProblem(
  report: CompatibilityReport,
  { state, defaults, parts }: { state: InstallState; defaults: readonly string[]; parts: InstallParts },
) {
  const unready = unreadiness(report);
  if (unready) return unready;
  if (offersInterfaces(parts))
    return diagnose(
      'install_plan_failed',
      'The module offers Interfaces, which are not part of this version yet. Nothing was created.',
      { reason: 'feature_unavailable' },
    );
  const declarations = report.rootModuleVariableDeclarations;
  if (declarations === undefined)
    return diagnose(
      'generic_opentofu_variable_declarations_missing',
      'The compatibility report does not list the variables of the module. Sync the Source, then install it again.',
    );
  const values = { values: state.variables, secret: state.row.secretVariables };
  const problem = findVariableProblem({ ...values, declarations, defaults, parts });
  return problem && failed(problem);
}
