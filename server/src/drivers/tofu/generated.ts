import { isContainer, type Json } from '#shared/kernel/json';
import { vendor } from '#shared/vendor';
import { TofuError } from './error.ts';
import { configExtensions, isConfigName, isOverrideName } from './tree-names.ts';
import type { GeneratedFile, ProviderBlock, ProviderConfig, RootView, ToolName } from './types.ts';

export type GenerateRequest = {
  /** Names in the module's own folder, without generated ones. */
  moduleFileNames: readonly string[];
  tool: ToolName;
  /** Path at which the local backend keeps the state, as the tool sees it. */
  statePath: string;
  view?: RootView;
  providerConfig?: ProviderConfig;
  /**
   * Arguments that take the value of a generated variable, by provider (`name` or `name.alias`) and argument. The
   * variables are ephemeral, so no file and no plan contains a secret. Only for a tool that supports such variables.
   */
  providerVariables?: { readonly [provider: string]: { readonly [argument: string]: string } };
};

const emptyView: RootView = { providers: [], configurationAliases: [], remoteState: { default: false, targets: [] } };
const overrideStem = `${vendor}_override`;
const plainStem = `zz_${vendor}_providers`;
const maxZ = 64;

/**
 * Generates the files beside the module's own: an override file that replaces any backend or cloud block by the private
 * local one and completes provider blocks, and a plain file with provider blocks that the module needs but does not
 * have. Throws `configuration_invalid` when no generated name can sort after the module's override files.
 */
export function generateFiles(request: GenerateRequest): GeneratedFile[] {
  const view = request.view ?? emptyView;
  const blocks = providerBlocks(request, view);
  const extension = request.tool === 'tofu' ? '.tofu.json' : '.tf.json';
  const override: { [key: string]: Json } = { terraform: { backend: { local: { path: literal(request.statePath) } } } };
  if (Object.keys(blocks.completed).length > 0) override.provider = blocks.completed;
  const files = [{ name: overrideName(request.moduleFileNames) + extension, text: print(override) }];
  const plain: { [key: string]: Json } = {};
  if (Object.keys(blocks.added).length > 0) plain.provider = blocks.added;
  const variables = variableBlocks(request);
  if (Object.keys(variables).length > 0) plain.variable = variables;
  if (Object.keys(plain).length > 0)
    files.push({ name: freeStem(plainStem, request.moduleFileNames) + extension, text: print(plain) });
  return files;
}

/**
 * Returns `zz_…_override`, with one more `z` in front until it sorts after every override file of the module by bytes,
 * because a later override wins. It is unused in every extension, because a `.tofu` file hides the `.tf` file of the
 * same name.
 */
function overrideName(names: readonly string[]): string {
  const overrides = names.filter(isOverrideName);
  if (names.some((name) => isConfigName(name) && name.includes('\uFFFD')))
    throw unusable('has a name that is not UTF-8');
  if (overrides.some((name) => (Buffer.from(name, 'utf8')[0] as number) > 0x7a))
    throw unusable('starts with a character after z');
  for (let count = 2; count <= maxZ; count += 1) {
    const stem = `${'z'.repeat(count)}_${overrideStem}`;
    const last = overrides.every((name) => Buffer.compare(Buffer.from(name, 'utf8'), Buffer.from(stem, 'utf8')) < 0);
    if (last && isFree(stem, names)) return stem;
  }
  throw unusable('sorts after every name that can be generated');
}

function freeStem(stem: string, names: readonly string[]): string {
  for (let count = 0; count <= maxZ; count += 1) {
    const candidate = 'z'.repeat(count) + stem;
    if (isFree(candidate, names)) return candidate;
  }
  throw unusable('takes every name that can be generated');
}

/**
 * Reports whether a name is unused. Case is ignored, because on some file systems two names that differ only in case
 * are one file.
 */
const isFree = (stem: string, names: readonly string[]): boolean =>
  !names.some((name) => configExtensions.some((extension) => name.toLowerCase() === stem + extension));

type Blocks = { [name: string]: Json };

function providerBlocks(request: GenerateRequest, view: RootView): { completed: Blocks; added: Blocks } {
  const completed = new Map<string, Json[]>();
  const added = new Map<string, Json[]>();
  const keys = new Set([
    ...view.configurationAliases.map(({ name, alias }) => `${name}.${alias}`),
    ...Object.keys(request.providerConfig ?? {}),
    ...Object.keys(request.providerVariables ?? {}),
  ]);
  for (const key of [...keys].sort()) {
    const existing = findBlock(view, key);
    const missing = argumentsOf(request, key, existing);
    const wanted =
      existing === undefined ? hasNeed(view, key, missing) : !existing.forEach && Object.keys(missing).length > 0;
    if (!wanted) continue;
    const [name, alias] = splitKey(key);
    const target = existing === undefined ? added : completed;
    target.set(name, [...(target.get(name) ?? []), { ...(alias === undefined ? {} : { alias }), ...missing }]);
  }
  return { completed: Object.fromEntries(completed), added: Object.fromEntries(added) };
}

/**
 * Returns arguments that the module's block does not set: its own arguments win, and a nested block would replace all
 * of its type.
 */
function argumentsOf(request: GenerateRequest, key: string, existing: ProviderBlock | undefined): Blocks {
  const missing: Blocks = {};
  for (const [name, value] of Object.entries(request.providerConfig?.[key] ?? {}))
    if (!existing?.arguments.includes(name)) missing[name] = literal(value);
  for (const [name, variable] of Object.entries(request.providerVariables?.[key] ?? {}))
    if (!existing?.arguments.includes(name)) missing[name] = `\${var.${variable}}`;
  return missing;
}

/**
 * Reports whether a block is needed. One without arguments is only needed for an alias that the module expects to
 * receive.
 */
const hasNeed = (view: RootView, key: string, missing: Blocks): boolean =>
  Object.keys(missing).length > 0 || view.configurationAliases.some(({ name, alias }) => `${name}.${alias}` === key);

const findBlock = (view: RootView, key: string): ProviderBlock | undefined =>
  view.providers.find((block) => (block.alias === undefined ? block.name : `${block.name}.${block.alias}`) === key);

function splitKey(key: string): [name: string, alias: string | undefined] {
  const dot = key.indexOf('.');
  return dot < 0 ? [key, undefined] : [key.slice(0, dot), key.slice(dot + 1)];
}

function variableBlocks(request: GenerateRequest): Blocks {
  const names = Object.values(request.providerVariables ?? {}).flatMap((byArgument) => Object.values(byArgument));
  const block = { type: 'string', sensitive: true, ephemeral: true };
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, block]));
}

/** Escapes a literal value. Strings of JSON configuration are templates, including keys of nested objects. */
function literal(value: Json): Json {
  if (typeof value === 'string') return escapeTemplate(value);
  if (!isContainer(value)) return value;
  if (Array.isArray(value)) return value.map((item) => literal(item as Json));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [escapeTemplate(key), literal(item as Json)]));
}

const escapeTemplate = (text: string): string => text.replace(/([$%])\{/g, '$1$1{');

const print = (content: { [key: string]: Json }): string => `${JSON.stringify(content, null, 2)}\n`;

const unusable = (what: string): TofuError =>
  new TofuError('configuration_invalid', `A configuration file of the module ${what}; rename it in the repository.`);
