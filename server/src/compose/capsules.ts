import os from 'node:os';
import { type CapsulesService, createCapsulesService } from '../domains/capsules/index.ts';
import { createDependenciesService, createDependenciesStore } from '../domains/dependencies/index.ts';
import { createDriftStore, createFindDrift, createListDrift } from '../domains/drift/index.ts';
import { createFormResourcesStore } from '../domains/form-resources/index.ts';
import { createConfigEdits, createHostnames, createInstallConfigsService } from '../domains/install-configs/index.ts';
import { createInterfaces } from '../domains/interfaces/index.ts';
import { createLifecycleStore } from '../domains/lifecycle/index.ts';
import { createOutputSharesService, createOutputSharesStore } from '../domains/output-shares/index.ts';
import { createRecoveryProofs, createRecoveryStore } from '../domains/re-adoptions/index.ts';
import { createRemoteJobsStore } from '../domains/remote-runs/index.ts';
import { createRunnerPoolsService } from '../domains/runner-pools/index.ts';
import { createStateVersionsService } from '../domains/state-versions/index.ts';
import { jobFormat } from '../runner/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import { listReservedPaths, realPathOf } from './reserved-paths.ts';

/** Builds the Capsules domain with configurations, Outputs and Interfaces. */
export function buildCapsules(context: AppContext, base: BaseDomains) {
  const { db, vault, settings } = context;
  const { shared, activity, workspaces, runs, preemptCheck } = base;
  const configs = createInstallConfigsService({ ...shared, vault });
  const configEdits = createConfigEdits({ ...shared, vault });
  const driftStore = createDriftStore(db);
  const recovery = createRecoveryProofs({
    store: createRecoveryStore(db),
    lifecycle: createLifecycleStore(db),
    findRun: runs.findRecord,
  });
  const home = os.homedir();
  const capsules = createCapsulesService({
    ...shared,
    runs,
    preemptCheck,
    activity,
    workspaces,
    configDigest: configs.digestNow,
    recoveryDigest: recovery.digestOf,
    findDrift: createFindDrift(driftStore),
    writing: {
      isLocal: settings.isLocal,
      home: realPathOf(home),
      reserved: listReservedPaths(settings, { env: process.env, home }),
    },
    requireAllowedPool: (workspaceId, poolId) => runnerPools.requireAllowed(workspaceId, poolId),
  });
  const runnerPools = buildRunnerPools(context, base);
  const states = createStateVersionsService({ ...shared, vault, capsules });
  const hostnames = createHostnames({
    findHolder: configs.findHostnameHolder,
    findProvenOwner: (hostname) => interfaces.proofs.findOwner(hostname),
    findHostname: configs.findHostname,
    reserved: settings.publicUrl === undefined ? [] : [new URL(settings.publicUrl).hostname],
  });
  const interfaces = buildInterfaces(context, base, {
    capsules,
    states,
    isManagedHostname: (capsuleId, hostname) => hostnames.hasHostname(capsules.getRow(capsuleId), hostname),
    findHostnameHolder: configs.findHostnameHolder,
    findConfiguration: ({ id, installConfigId }) => {
      const { parts, provenance, updatedAt } = configs.getDeclarations(installConfigId);
      const principalId = provenance?.installerId ?? base.runs.findFirstCreator(id) ?? 'operator';
      return { updatedAt, blueprints: parts.interfaceBlueprints ?? [], principalId };
    },
  });
  const shares = createOutputSharesService({
    ...shared,
    store: createOutputSharesStore(db),
    activity,
    workspaces,
    capsules,
    states,
  });
  const dependencies = createDependenciesService({
    ...shared,
    store: createDependenciesStore(db),
    vault,
    activity,
    capsules,
    states,
    shares,
    listDrift: createListDrift(driftStore),
  });
  return {
    configs,
    configEdits,
    recovery,
    capsules,
    runnerPools,
    states,
    interfaces,
    hostnames,
    shares,
    dependencies,
    driftStore,
  };
}

/** Builds the pools of runner machines. Without a NATS server only `local` can be used. */
const buildRunnerPools = ({ db, settings }: AppContext, { shared, activity, runs, workspaces }: BaseDomains) =>
  createRunnerPoolsService({
    ...shared,
    activity,
    runs,
    workspaces,
    isConfigured: settings.nats !== undefined,
    countRunning: createRemoteJobsStore(db).countRunning,
    jobFormat,
  });

type InterfacePorts = Pick<
  Parameters<typeof createInterfaces>[0],
  'states' | 'isManagedHostname' | 'findHostnameHolder' | 'findConfiguration'
> & { capsules: CapsulesService };

/** Builds the Interfaces, which follow every change of their Capsules, Workspaces and members. */
function buildInterfaces(
  { db, log, settings }: AppContext,
  { shared, activity, workspaces, runs, members, workGate }: BaseDomains,
  { capsules, ...ports }: InterfacePorts,
) {
  const interfaces = createInterfaces({
    ...shared,
    log,
    workGate,
    activity,
    workspaces,
    capsules,
    ...ports,
    formResources: createFormResourcesStore(db),
    isDestroyQueued: (capsuleId) => runs.store.findActive(capsuleId, ['destroy_apply']) !== undefined,
    hasIssuer: () => settings.oidcIssuer,
  });
  const { upkeep } = interfaces;
  capsules.onMoving(upkeep.capsuleMoved);
  runs.onCreating(upkeep.runCreated);
  runs.onMoving(upkeep.runMoved);
  workspaces.onSwitched(upkeep.workspaceSwitched);
  members.onRemoved(({ workspaceId, accountId }, actorId) => upkeep.memberLeft(workspaceId, accountId, actorId));
  return interfaces;
}
