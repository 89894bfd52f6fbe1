import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { Cursors } from '#server/kernel/page';
import type { WorkGate } from '#server/kernel/work-gate';
import { createBindingPhases } from './binding-phases.ts';
import { createBindings, createBindingWrites } from './bindings.ts';
import { createBindingsStore } from './bindings-store.ts';
import { createBlueprintWrites } from './blueprint-writes.ts';
import { createClaims, type Owner } from './claims.ts';
import { createClaimsStore } from './claims-store.ts';
import { createEvaluation } from './evaluation.ts';
import { createFailures } from './failures.ts';
import type { FormResourceReader } from './form-resource-reader.ts';
import { createFormResourceInterfaces } from './form-resources.ts';
import { createIntents } from './intents.ts';
import { createIntentsStore } from './intents-store.ts';
import { createMaterialization } from './materialization.ts';
import { createMaterializeItem } from './materialize.ts';
import { createOutputMigration, type OutputMigrationPorts } from './output-migration.ts';
import { createProofs } from './proofs.ts';
import { createProofsStore } from './proofs-store.ts';
import { createPublication } from './publication.ts';
import { createReferences } from './references.ts';
import { createRequiredInterfaces } from './required.ts';
import type { FindOutputs } from './resolve.ts';
import { hostnameOf } from './resource-uri.ts';
import { createInterfaceRecords } from './service.ts';
import { createInterfacesStore, type InterfaceRow } from './store.ts';
import { createFindTokenGrant } from './token-grants.ts';
import { createUiSurfaces } from './ui-surfaces.ts';
import { createUpkeep } from './upkeep.ts';
import { createInterfaceWrites } from './writes.ts';

type Deps = OutputMigrationPorts & {
  db: Db;
  clock: Clock;
  log: Log;
  workGate: WorkGate;
  cursors: Cursors;
  outbox: Outbox;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'findWorkspaceId' | 'findRoles' | 'isLive'>;
  capsules: Pick<CapsulesService, 'findWorkspace' | 'getRow'>;
  states: Pick<StateVersionsService, 'findPublicOutputs'>;
  formResources: FormResourceReader;
  /** Reports whether the destroy of a Capsule is queued or runs. */
  isDestroyQueued: (capsuleId: string) => boolean;
  /** Reports whether this server issues tokens. */
  hasIssuer: () => boolean;
  /** Reports whether a Capsule has a hostname through its configuration. */
  isManagedHostname: (capsuleId: string, hostname: string) => boolean;
  /** Returns the Capsule that has a hostname through its configuration. */
  findHostnameHolder: (hostname: string) => string | undefined;
};
export type InterfacesDomain = ReturnType<typeof createInterfaces>;

/** The Interfaces of installed modules and who may use them. */
export function createInterfaces(deps: Deps) {
  const { db, capsules, workspaces } = deps;
  const store = createInterfacesStore(db);
  const bindingsStore = createBindingsStore(db);
  const intents = createIntentsStore(db);
  const proofsStore = createProofsStore(db);
  const claims = createClaims({ ...deps, store, claims: createClaimsStore(db), hasProof });
  const references = createReferences(deps);

  function isOwnerLive({ workspaceId, ownerKind, ownerId }: InterfaceRow): boolean {
    if (!workspaces.isLive(workspaceId)) return false;
    if (ownerKind === 'Workspace') return true;
    if (ownerKind === 'Resource') return deps.formResources.find(ownerId)?.workspaceId === workspaceId;
    const { status } = capsules.getRow(ownerId);
    return status === 'active' || status === 'stale';
  }

  function hasProof({ workspaceId, ownerKind, ownerId }: Owner, uri: string): boolean {
    const hostname = hostnameOf(uri);
    if (ownerKind === 'Capsule' && deps.isManagedHostname(ownerId, hostname)) return true;
    const proof = proofsStore.find(workspaceId, hostname);
    return proof?.ownerKind === ownerKind && proof.ownerId === ownerId;
  }

  const delivery = { hasIssuer: deps.hasIssuer, hasProof, holdsClaim: claims.holds };
  const phases = createBindingPhases({ ...deps, bindings: bindingsStore, delivery });
  const findOutputs = readingOutputs(deps.states);
  const evaluation = createEvaluation({
    ...deps,
    store,
    bindingPhases: phases,
    claims,
    findOutputs,
    isOwnerLive,
    isOwnerEnding: ({ ownerKind, ownerId }) => ownerKind === 'Capsule' && deps.isDestroyQueued(ownerId),
  });
  const bindingWrites = createBindingWrites({ ...deps, bindings: bindingsStore, phases, publish: evaluation.publish });
  const writes = createInterfaceWrites({ ...deps, store, bindingsStore, bindings: bindingWrites, evaluation });
  const proofs = createProofs({ ...deps, proofs: proofsStore, store, references, evaluation });
  const records = createInterfaceRecords({ ...deps, store, references, writes });
  const { getRow } = records;
  const bindings = createBindings({ ...deps, bindings: bindingsStore, references, writes: bindingWrites, getRow });
  const blueprintWrites = createBlueprintWrites({ store, bindingsStore, writes, bindings: bindingWrites });
  const blueprintDeps = { ...deps, store, blueprintWrites, references };
  const makeItem = createMaterializeItem(blueprintDeps);
  const materialization = createMaterialization({ ...deps, intents, makeItem });
  const upkeepDeps = { store, writes, bindings, proofs, evaluation };
  const upkeep = createUpkeep({ ...upkeepDeps, intents });
  return {
    store,
    requireSubject: references.requireSubject,
    required: createRequiredInterfaces({ ...deps, store, bindings: bindingsStore, writes: bindingWrites }),
    records,
    bindings,
    proofs,
    outputMigration: createOutputMigration({ ...deps, store, writes, findOutputs, makeItem }),
    materialization,
    findTokenGrant: createFindTokenGrant({ bindings: bindingsStore, delivery, findRow: store.find }),
    failures: createFailures({ ...deps, intents, arm: materialization.arm }),
    listUiSurfaces: createUiSurfaces({ ...deps, store }),
    upkeep,
    resources: createFormResourceInterfaces({ ...upkeepDeps, publication: createPublication(blueprintDeps) }),
    /** Brings bindings to the settings of this start, then makes what applies have left open. */
    start(): void {
      try {
        db.write(upkeep.settingsLoaded);
      } catch (error) {
        // Bindings then keep the phase of the last start; a full disk must not keep the server from starting.
        deps.log.error(faultFields(error), 'bindings could not be brought to the settings');
      }
      materialization.start();
    },
    stop: materialization.stop,
    /** Writes what an apply has to make of the blueprints of its configuration. */
    recordApply: createIntents({ ...deps, intents, store, arm: materialization.arm }),
  };
}

/** Outputs that do not belong to the current state cannot be read until the next apply. */
const readingOutputs =
  (states: Deps['states']): FindOutputs =>
  (capsuleId) => {
    try {
      return states.findPublicOutputs(capsuleId);
    } catch (error) {
      if (error instanceof AppError && error.code === 'failed_precondition') return 'unreadable';
      throw error;
    }
  };
