import os from 'node:os';
import { createCapsulesService } from '../domains/capsules/index.ts';
import { createDependenciesService, createDependenciesStore } from '../domains/dependencies/index.ts';
import { createDriftStore, createFindDrift, createListDrift } from '../domains/drift/index.ts';
import { createConfigEdits, createInstallConfigsService } from '../domains/install-configs/index.ts';
import { createOutputSharesService, createOutputSharesStore } from '../domains/output-shares/index.ts';
import { createStateVersionsService } from '../domains/state-versions/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import { listReservedPaths, realPathOf } from './reserved-paths.ts';

/** Builds the Capsules domain with configurations, Outputs and Interfaces. */
export function buildCapsules(
  { db, vault, settings }: AppContext,
  { shared, activity, workspaces, runs, preemptCheck }: BaseDomains,
) {
  const configs = createInstallConfigsService({ ...shared, vault });
  const configEdits = createConfigEdits({ ...shared, vault });
  const driftStore = createDriftStore(db);
  const home = os.homedir();
  const capsules = createCapsulesService({
    ...shared,
    runs,
    preemptCheck,
    activity,
    workspaces,
    configDigest: configs.digestNow,
    findDrift: createFindDrift(driftStore),
    writing: {
      isLocal: settings.isLocal,
      home: realPathOf(home),
      reserved: listReservedPaths(settings, { env: process.env, home }),
    },
  });
  const states = createStateVersionsService({ ...shared, vault, capsules });
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
  return { configs, configEdits, capsules, states, shares, dependencies, driftStore };
}
