import type { SealContext, Vault } from '#server/drivers/vault/index';
import { Secret } from '#server/kernel/secret';
import { actionOf, type Material } from '#shared/connections/auth-mode';
import { takesArgument } from '#shared/connections/provider-source';
import type { JsonObject } from '#shared/kernel/json';
import { submittedName } from './inputs.ts';
import { missingValue } from './minting/mint-error.ts';
import type { Minted } from './minting/minted.ts';
import type { NewMaterial } from './new-material.ts';
import type { ConnectionRow, MaterialRow } from './store.ts';

/** A `Secret` must be kept out of every log; plain text need not be. */
type MaterialValue = Secret | string;

/** Material of one Connection for a Run. */
export type ConnectionMaterials = {
  env: Record<string, MaterialValue>;
  /** `path` is relative to the folder of the Run's credentials; `envName` is the variable that is set to the location of the file. */
  files: { path: string; envName: string | undefined; mode: number; content: Secret }[];
  /** Only arguments that the block of the requested provider accepts. */
  providerArguments: Record<string, MaterialValue>;
  /** Names of environment variables, also of files, whose material is in `providerArguments` as well. */
  coveredNames: string[];
  /** Secrets that the Run does not get by a name, and that must be kept out of its log as well. */
  hiddenSecrets: Secret[];
  moduleInputDefaults: JsonObject;
  providerConfig: JsonObject;
};

type Owner = { id: string; workspaceId: string | null };
const contextOf = (id: string, { workspaceId }: Owner): SealContext => ({
  table: 'connection_materials',
  row: id,
  column: 'sealed',
  workspaceId: workspaceId ?? '',
});

/**
 * Stands for a value that the Connection gets when a Run starts. Its `label` is equal for the same value of the same
 * Connection; revealing it is an error.
 */
export class PendingSecret extends Secret {
  readonly valueName: string;
  readonly label: string;
  constructor(connectionId: string, valueName: string) {
    super('');
    this.valueName = valueName;
    this.label = `${connectionId} ${valueName}`;
  }
  override reveal(): never {
    throw new Error('The value does not exist before its Run starts.');
  }
  override revealBytes(): never {
    return this.reveal();
  }
}

/** Seals each value separately, bound to its Connection and its name. */
export function sealMaterials(vault: Vault, owner: Owner, materials: readonly NewMaterial[]): MaterialRow[] {
  return materials.map(({ kind, name, text }) => {
    const id = `${owner.id}/${kind}/${name}`;
    const sealed = vault.sealSecret(contextOf(id, owner), new Secret(text));
    return { id, connectionId: owner.id, workspaceId: owner.workspaceId, kind, name, sealed };
  });
}

/** The opened values by the names under which they were entered. */
type Opened = { env: ReadonlyMap<string, Secret>; file: ReadonlyMap<string, Secret> };

export function openMaterials(vault: Vault, owner: Owner, rows: readonly MaterialRow[]): Opened {
  const of = (kind: MaterialRow['kind']) =>
    new Map(
      rows
        .filter((row) => row.kind === kind)
        .map(({ id, name, sealed }) => [name, vault.openSecret(contextOf(id, owner), sealed)]),
    );
  return { env: of('env'), file: of('file') };
}

/** Converts sealed values into the material that the pinned recipe defines. */
export function renderMaterials(row: ConnectionRow, opened: Opened, providerSource: string): ConnectionMaterials {
  return {
    hiddenSecrets: inputSecretsOf(row, opened),
    env: environmentOf(row, opened),
    files: filesOf(row, opened),
    ...argumentsOf(row, opened, providerSource),
    moduleInputDefaults: (row.scopeHints?.moduleInputDefaults ?? {}) as JsonObject,
    providerConfig: (row.scopeHints?.providerConfig ?? {}) as JsonObject,
  };
}

const toMaterialValue = ({ from }: Material, secret: Secret): MaterialValue =>
  from === 'value' ? secret.reveal() : secret;

function environmentOf({ id, recipe, envNames }: ConnectionRow, { env }: Opened): Record<string, MaterialValue> {
  const envMaterials = recipe?.mode.env ?? {};
  const entries = envNames.flatMap((name): [string, MaterialValue][] => {
    const material = envMaterials[name] ?? { from: 'user_defined' };
    if (material.from === 'literal') return [[name, material.value ?? '']];
    if (material.from === 'generated') return [[name, new PendingSecret(id, material.name ?? name)]];
    const value = env.get(material.name ?? name);
    return value ? [[name, toMaterialValue(material, value)]] : [];
  });
  return Object.fromEntries(entries);
}

function filesOf({ id, recipe, files }: ConnectionRow, { file }: Opened): ConnectionMaterials['files'] {
  const provided = files.flatMap(({ path, envName, mode }) => {
    const material = recipe?.mode.files?.[path];
    const content = material?.from === 'generated' ? new PendingSecret(id, material.name ?? path) : file.get(path);
    return content ? [{ path, envName, mode: Number.parseInt(mode, 8), content }] : [];
  });
  const literal = Object.entries(recipe?.mode.files ?? {}).flatMap(
    ([path, { from, value = '', envName, mode = '0600' }]) =>
      from === 'literal' ? [{ path, envName, mode: Number.parseInt(mode, 8), content: new Secret(value) }] : [],
  );
  return [...provided, ...literal];
}

function argumentsOf(
  row: ConnectionRow,
  opened: Opened,
  providerSource: string,
): Pick<ConnectionMaterials, 'providerArguments' | 'coveredNames'> {
  const inEnvironment = environmentOf(row, opened);
  const inFiles = new Map(filesOf(row, opened).map(({ envName, content }) => [envName, content]));
  const providerArguments: Record<string, MaterialValue> = {};
  const coveredNames: string[] = [];
  for (const [argument, { from, name, value: text }] of Object.entries(row.recipe?.mode.providerArguments ?? {})) {
    if (!takesArgument(providerSource, argument)) continue;
    const value = from === 'literal' ? (text ?? '') : (inEnvironment[name ?? ''] ?? inFiles.get(name));
    if (value === undefined) continue;
    providerArguments[argument] = value;
    if (name !== undefined) coveredNames.push(name);
  }
  return { providerArguments, coveredNames };
}

/** Stored secrets that only the request for credentials uses. */
function inputSecretsOf({ recipe }: ConnectionRow, { env }: Opened): Secret[] {
  const inputs = Object.entries(recipe?.mode.preRun?.inputs ?? {}).filter(([, { from }]) => from !== 'value');
  return inputs.flatMap(([name, material]) => env.get(submittedName(name, material)) ?? []);
}

/** Reports whether the Connection stores nothing, because its credentials are issued to each Run. */
export const storesNothing = ({ recipe }: ConnectionRow): boolean =>
  recipe !== null && actionOf(recipe.mode) === 'runIssuance';

/** Returns the material with the values that were minted for a Run. Throws a `MintError` when one is missing. */
export function completeMaterials(
  materials: ConnectionMaterials,
  { values, hidden }: Pick<Minted, 'values' | 'hidden'>,
): ConnectionMaterials {
  const complete = <V extends MaterialValue>(value: V): V | Secret => {
    if (!(value instanceof PendingSecret)) return value;
    const minted = values.get(value.valueName);
    if (!minted) throw missingValue();
    return minted;
  };
  const completeAll = (all: Record<string, MaterialValue>) =>
    Object.fromEntries(Object.entries(all).map(([name, value]) => [name, complete(value)]));
  return {
    ...materials,
    env: completeAll(materials.env),
    files: materials.files.map((file) => ({ ...file, content: complete(file.content) })),
    providerArguments: completeAll(materials.providerArguments),
    hiddenSecrets: [...materials.hiddenSecrets, ...values.values(), ...hidden],
  };
}
