import { isDeepStrictEqual } from 'node:util';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import { isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { Interface, InterfaceSpec } from '#shared/interfaces/contract';
import type {
  MigrationSelection,
  OutputInterfaceCandidate,
  outputMigrationApi,
} from '#shared/interfaces/output-migration';
import { wellKnownInterfaces } from '#shared/interfaces/well-known';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { type createMaterializeItem, MaterializationFault } from './materialize.ts';
import { interfaceOf } from './records.ts';
import type { FindOutputs } from './resolve.ts';
import type { IntentItem } from './schema.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';
import type { InterfaceWrites } from './writes.ts';

/** The members of the configuration of a Capsule that the migration reads. */
type Configuration = { updatedAt: number; blueprints: readonly InterfaceBlueprint[]; principalId: string };
export type OutputMigrationPorts = {
  /** Returns the configuration of a Capsule with the account that installed it. */
  findConfiguration: (capsule: CapsuleRow) => Configuration;
};
type Deps = OutputMigrationPorts & {
  db: Db;
  capsules: Pick<CapsulesService, 'findWorkspace' | 'getRow'>;
  store: Pick<InterfacesStore, 'find' | 'findOfBlueprint' | 'listOwned' | 'listAppliedCapsules'>;
  writes: Pick<InterfaceWrites, 'insert' | 'record'>;
  findOutputs: FindOutputs;
  makeItem: ReturnType<typeof createMaterializeItem>;
};

/** Names of Outputs that clients opened before there were Interfaces, in the order in which they are migrated. */
const conventions = [
  { outputName: 'launch_url', ...wellKnownInterfaces.launcher },
  { outputName: 'mcp_url', ...wellKnownInterfaces.mcp },
  { outputName: 'file_handler_url', ...wellKnownInterfaces.fileHandler },
] as const;
type Convention = (typeof conventions)[number];

type CurrentCandidate = {
  capsule: CapsuleRow;
  configuration: Configuration;
  open: readonly Convention[];
  runId: string;
  candidate: OutputInterfaceCandidate;
};

/**
 * Turns Outputs that clients opened by name into Interfaces, one for each request. The candidate that the operator has
 * read is the fence: nothing is made when the Capsule, its configuration or its Outputs have changed since.
 */
export function createOutputMigration(deps: Deps) {
  const { db, capsules, store, writes } = deps;

  const findCandidate = createCandidateReader(deps);

  /** Makes the Interface of the first convention from its blueprint, with the bindings of the blueprint. */
  function makeOfBlueprint({
    capsule,
    configuration,
    open: [first],
    runId,
  }: CurrentCandidate): InterfaceRow | undefined {
    const { blueprints, principalId } = configuration;
    const blueprint = first && findBlueprint(first, blueprints);
    if (!blueprint) return undefined;
    const { key, bindings = [] } = blueprint;
    let items: IntentItem[] = [
      { kind: 'interface', key },
      ...bindings.map((one) => ({ kind: 'binding' as const, interfaceKey: key, key: one.key })),
    ];
    const intent = { capsuleId: capsule.id, workspaceId: capsule.workspaceId, runId, principalId };
    for (const nextItemIndex of items.keys())
      items = deps.makeItem({ ...intent, blueprints: [blueprint], items, nextItemIndex });
    return store.findOfBlueprint({ kind: 'Capsule', id: capsule.id }, key);
  }

  function makeOfSelection(
    { capsule, open }: CurrentCandidate,
    selection: MigrationSelection,
    actorId: string,
  ): InterfaceRow {
    const { name, type, version } = selection;
    if (!open.some((one) => one.type === type && one.version === version))
      throw new AppError(
        'invalid_request',
        'The selection has another type or version than the conventions of the candidate. Choose one of theirs.',
        { details: { field: '/selection/type' } },
      );
    const ownerRef = { kind: 'Capsule', id: capsule.id } as const;
    return writes.insert(
      { workspaceId: capsule.workspaceId, name, ownerRef, spec: specOf(selection, capsule.id) },
      { actorId },
    );
  }

  return {
    list: (workspaceId: string): OutputInterfaceCandidate[] =>
      store.listAppliedCapsules(workspaceId).flatMap((id) => findCandidate(id)?.candidate ?? []),

    /**
     * Makes one Interface, which is resolved. Throws 404 for a Capsule of another Workspace, 400, 409 `already_exists`, and
     * `migration_fence_moved` when the candidate has changed or the Interface cannot be resolved.
     */
    migrate(
      workspaceId: string,
      { candidate, selection, ...rest }: BodyOf<typeof outputMigrationApi.migrateOutputInterface>,
      actorId: string,
    ): Interface {
      nothingLeft(rest);
      return db.write(() => {
        if (capsules.findWorkspace(candidate.capsuleId) !== workspaceId) throw notFound('Capsule');
        const current = findCandidate(candidate.capsuleId);
        if (!current || !isDeepStrictEqual(current.candidate, candidate))
          throw fenceMoved('The Capsule is not this candidate any more. List the candidates again.');
        requireSelection(current.candidate, selection);
        const made = unlessUnavailable(() =>
          selection ? makeOfSelection(current, selection, actorId) : makeOfBlueprint(current),
        );
        if (made?.phase !== 'Resolved')
          throw fenceMoved(`The Interface cannot be resolved, so nothing was made. ${made?.message ?? ''}`.trim());
        const metadata = { capsuleId: candidate.capsuleId, outputNames: sourceNames(made.spec) };
        writes.record('interface.output_convention_migrated', made, { actorId, metadata });
        return interfaceOf(store.find(made.id) ?? made);
      });
    },
  };
}

/** Reads the candidate of a Capsule as it is now; undefined when nothing is to be migrated. */
function createCandidateReader({ capsules, store, findOutputs, findConfiguration }: Deps) {
  /** Reports whether a person has retired what was made of a blueprint, which is not made again until it changes. */
  function isRetired(capsuleId: string, blueprint: InterfaceBlueprint | undefined): boolean {
    const row = blueprint && store.findOfBlueprint({ kind: 'Capsule', id: capsuleId }, blueprint.key);
    return row?.phase === 'Retired' && row.blueprintDigest === jsonDigest(blueprint);
  }

  return (capsuleId: string): CurrentCandidate | undefined => {
    const capsule = capsules.getRow(capsuleId);
    const outputs = capsule.status === 'destroyed' ? undefined : findOutputs(capsuleId);
    if (outputs === undefined || outputs === 'unreadable') return undefined;
    const types = new Set(store.listOwned('Capsule', capsuleId).map(({ type }) => type));
    const unclaimed = conventions.filter(
      ({ outputName, type }) => Object.hasOwn(outputs.values, outputName) && !types.has(type),
    );
    if (unclaimed.length === 0) return undefined;
    const configuration = findConfiguration(capsule);
    const { blueprints } = configuration;
    const open = unclaimed.filter((one) => !isRetired(capsuleId, findBlueprint(one, blueprints)));
    if (open.length === 0) return undefined;
    const { outputId, outputDigest, runId } = outputs;
    const availableOutputNames = Object.keys(outputs.values).sort();
    const candidate: OutputInterfaceCandidate = {
      capsuleId,
      capsuleUpdatedAt: isoTime(capsule.updatedAt),
      installConfigId: capsule.installConfigId,
      installConfigUpdatedAt: isoTime(configuration.updatedAt),
      outputId,
      outputDigest,
      outputNamesDigest: jsonDigest(availableOutputNames),
      legacyConventionNames: open.map(({ outputName }) => outputName),
      availableOutputNames,
      mode: open.every((one) => findBlueprint(one, blueprints)) ? 'service_blueprints' : 'owner_selection_required',
      ...(blueprints.length > 0 && { interfaceBlueprintsDigest: jsonDigest(blueprints) }),
    };
    return { capsule, configuration, open, runId, candidate };
  };
}

const fenceMoved = (message: string): AppError => failedPrecondition('migration_fence_moved', message);

const findBlueprint = (
  { type, version }: Convention,
  blueprints: readonly InterfaceBlueprint[],
): InterfaceBlueprint | undefined => blueprints.find(({ spec }) => spec.type === type && spec.version === version);

function requireSelection({ mode }: OutputInterfaceCandidate, selection: MigrationSelection | undefined): void {
  if ((mode === 'owner_selection_required') === (selection !== undefined)) return;
  throw new AppError(
    'invalid_request',
    selection === undefined
      ? 'The configuration does not describe the Interfaces. Send a selection.'
      : 'The configuration describes the Interfaces. Leave the selection out.',
    { details: { field: '/selection' } },
  );
}

/** A blueprint whose bindings cannot be made keeps nothing. */
function unlessUnavailable<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof MaterializationFault)) throw error;
    throw fenceMoved(
      'A subject of the bindings of the blueprint is not a member any more. Change the configuration first.',
    );
  }
}

const specOf = (
  { type, version, document, inputName, outputName, pointer, access }: MigrationSelection,
  capsuleId: string,
): InterfaceSpec => ({
  type,
  version,
  document,
  inputs: {
    [inputName]: { source: 'capsule_output', capsuleId, outputName, ...(pointer !== undefined && { pointer }) },
  },
  access,
});

const sourceNames = ({ inputs = {} }: InterfaceSpec): string[] =>
  Object.values(inputs).flatMap((input) => (input.source === 'capsule_output' ? [input.outputName] : []));
