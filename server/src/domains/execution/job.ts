import type { CapsulesService } from '#server/domains/capsules/index';
import type { DependenciesService } from '#server/domains/dependencies/index';
import type { InstallConfigsService, PrivateConfig } from '#server/domains/install-configs/index';
import type { Grants } from '#server/domains/provider-bindings/index';
import type { CapsuleRun, RunsService } from '#server/domains/runs/index';
import type { InspectionService, ReportRow, RootEvidence, SourcesService } from '#server/domains/sources/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { RootView } from '#server/drivers/tofu/index';
import type { Vault } from '#server/drivers/vault/index';
import { hmacHex } from '#server/kernel/digest';
import type { Allowances, Job } from '#server/runner/index';
import { limits } from '#shared/limits';
import { isApplyType, localPool } from '#shared/runs/contract';
import { createRunValues } from './run-values.ts';
import { createSealing } from './sealing.ts';
import type { ExecutionStore } from './store.ts';
import type { ToolManager } from './tool-manager.ts';

/** Lock file and reviewed plan that a Run continues with. */
type PlanSource = {
  findLock(run: CapsuleRun, requirementsDigest: string): string | null;
  findReviewed(run: CapsuleRun): Job['plan'];
};

type Deps = {
  /** The operator allows builds where no sandbox is available. */
  buildsWithoutSandbox: boolean;
  /** Settings of the operator; the runner has defaults for the rest. */
  allowances: Partial<Allowances>;
  vault: Vault;
  toolManager: ToolManager;
  store: Pick<ExecutionStore, 'findKeyVersionBefore'>;
  plans: PlanSource;
  runs: Pick<RunsService, 'getCapsuleRun' | 'extendInput'>;
  configs: Pick<InstallConfigsService, 'getPrivate'>;
  dependencies: Pick<DependenciesService, 'openSnapshot'>;
  capsules: Pick<CapsulesService, 'getRow' | 'listUsablePaths'>;
  states: Pick<StateVersionsService, 'openCurrent'>;
  sources: Pick<SourcesService, 'findSnapshot'>;
  inspection: Pick<InspectionService, 'getReportRow'>;
  grants: Pick<Grants, 'open'>;
};

/** Collects from the ledger everything that a machine needs for a Run. */
export function createJobBuilder(deps: Deps) {
  const { toolManager, configs, states, sources, inspection } = deps;
  const sealingOf = createSealing(deps);
  const valuesOf = createRunValues(deps);
  const comparisonKey = (capsuleId: string) => hmacHex(() => deps.vault.installationKey('plan-comparison'), capsuleId);
  return async (run: CapsuleRun, mode: Job['mode']): Promise<Job> => {
    const { input, capsuleId } = run;
    const { name, version } = await toolOf(run);
    const config = configs.getPrivate(input.installConfigId);
    const report = inspection.getReportRow(input.reportId);
    const snapshot = sources.findSnapshot(input.sourceSnapshotId);
    if (!snapshot) throw new Error(`snapshot ${input.sourceSnapshotId} is gone`);
    const state = states.openCurrent(capsuleId);
    const { variables, secrets, states: producerStates } = valuesOf(run);
    const credentials = deps.grants.open(run);
    return {
      formatVersion: 1,
      mode,
      operation: isApplyType(run.type) ? 'apply' : (run.type as 'plan' | 'destroy_plan' | 'drift_check'),
      id: run.id,
      runId: run.id,
      capsuleId,
      archiveDigest: snapshot.archiveDigest,
      modulePath: config.modulePath,
      tool: { name, version },
      ...(report.report.providerPackages.length === 0 && { isWithoutPackages: true }),
      configuration: { view: rootViewOf(report) },
      ...(credentials && { credentials }),
      ...(producerStates.length > 0 && { producerStates }),
      variables,
      ephemeralVariables: ephemeralOf(report, [
        ...Object.keys(variables),
        ...producerStates.map(({ variable }) => variable),
      ]),
      secrets,
      sealing: sealingOf(run, mode),
      state: state ? { text: state.text, digest: state.digest } : null,
      ...(!isApplyType(run.type) && { comparisonKey: comparisonKey(capsuleId) }),
      lock: deps.plans.findLock(run, input.requirementsDigest),
      ...(!isApplyType(run.type) && buildOf(config)),
      plan: deps.plans.findReviewed(run),
      ...(input.writablePaths && { writablePaths: deps.capsules.listUsablePaths(input.writablePaths) }),
      limits: {
        initSeconds: limits.initSeconds,
        planSeconds: limits.planSeconds,
        logBytes: limits.logBytes,
        ...deps.allowances,
      },
    };
  };

  /** Returns the tool of this machine, or for a Run of a pool the one that it was started with. */
  async function toolOf({ runnerPool, facts }: CapsuleRun): Promise<Job['tool']> {
    if (runnerPool === localPool) return ((await toolManager.current()) ?? (await toolManager.require())).tool;
    const { toolName, toolVersion } = facts;
    if (toolName === undefined || toolVersion === undefined) throw new Error('The Run has no tool yet.');
    return { name: toolName, version: toolVersion };
  }

  function buildOf({ parts: { sourceBuild } }: PrivateConfig): Pick<Job, 'build'> {
    if (sourceBuild === undefined) return {};
    const { buildCommandSeconds: commandSeconds } = limits;
    return { build: { ...sourceBuild, commandSeconds, withoutSandbox: deps.buildsWithoutSandbox } };
  }
}

/** Returns the provider configurations and encryption targets of a root module. */
export function rootViewOf(row: ReportRow): RootView {
  const evidence = row.rootView as RootEvidence;
  const providers = evidence.ownProviderBlocks.map(
    ({ moduleLocalName, childAlias, arguments: blockArguments, forEach }) => ({
      name: moduleLocalName,
      ...(childAlias !== undefined && { alias: childAlias }),
      arguments: blockArguments,
      forEach,
    }),
  );
  const own = new Set(providers.map(({ name, alias }) => `${name}.${alias ?? ''}`));
  const configurationAliases = row.report.rootProviderRequirements.flatMap(
    ({ moduleLocalName: name, childAlias: alias }) =>
      alias !== undefined && !own.has(`${name}.${alias}`) ? [{ name, alias }] : [],
  );
  return {
    providers,
    configurationAliases,
    remoteState: { default: evidence.encryptionDefault, targets: evidence.encryptionTargets },
  };
}

const ephemeralOf = (row: ReportRow, assigned: readonly string[]): string[] =>
  (row.report.rootModuleVariableDeclarations ?? [])
    .filter(({ name, ephemeral }) => ephemeral && assigned.includes(name))
    .map(({ name }) => name);
