import type { ProviderPackage, RootProviderRequirement } from '#shared/sources/module-scan';
import { attribute, type Declared } from './blocks.ts';
import { literalText, providerReference, resourceTypeOf } from './expressions.ts';
import type { ModuleFolder } from './module-folder.ts';
import { impliedProvider, isBuiltIn, localNameOfType } from './provider-address.ts';
import type { OwnProviderBlock, ToolName } from './types.ts';

/** Returns the full address of a local name in one folder. */
const sourceOf = (folder: ModuleFolder, localName: string, toolName: ToolName): string | undefined =>
  folder.configuration.requiredProviders.get(localName)?.source ?? impliedProvider(localName, toolName);

/** Returns the local name of the provider of a resource, data or ephemeral block. */
const localNameOf = ({ labels, body }: Declared): string =>
  providerReference(attribute(body, 'provider'))?.localName ?? localNameOfType(labels[0] as string);

function importedLocalName({ body }: Declared): string[] {
  const named = providerReference(attribute(body, 'provider'))?.localName;
  const type = resourceTypeOf(attribute(body, 'to'));
  return named ? [named] : type ? [localNameOfType(type)] : [];
}

/** Returns local names that a folder uses without a version: by types, imports and providers passed to modules. */
function usedNames(folder: ModuleFolder): string[] {
  const { resources, dataSources, ephemerals, imports } = folder.configuration;
  const passed = folder.calls.flatMap((call) => call.passed.map(({ parent }) => parent.localName));
  return [
    ...[...resources, ...dataSources, ...ephemerals].map(localNameOf),
    ...imports.flatMap(importedLocalName),
    ...passed.filter((name) => isDeclared(folder, name)),
  ];
}

const isDeclared = ({ configuration }: ModuleFolder, localName: string): boolean =>
  configuration.requiredProviders.has(localName) ||
  configuration.providers.some(({ labels }) => labels[0] === localName);

/** Returns the providers that a module graph needs, by address, each with all its constraints. */
export function providerPackages(graph: readonly ModuleFolder[], toolName: ToolName): ProviderPackage[] {
  const versions = new Map<string, Set<string>>();
  const add = (source: string | undefined, version?: string) => {
    if (source === undefined || isBuiltIn(source)) return;
    const known = versions.get(source) ?? new Set();
    if (version) known.add(version);
    versions.set(source, known);
  };
  for (const folder of graph) {
    for (const { source, version } of folder.configuration.requiredProviders.values()) add(source, version);
    for (const { labels, body } of folder.configuration.providers) {
      add(sourceOf(folder, labels[0] as string, toolName), literalText(attribute(body, 'version')));
    }
    for (const name of usedNames(folder)) add(sourceOf(folder, name, toolName));
  }
  return [...versions]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([source, known]) => ({ source, ...(known.size > 0 ? { version: [...known].join(', ') } : {}) }));
}

type Tuple = { localName: string; alias: string | undefined };
const tupleKey = ({ localName, alias }: Tuple): string => `${localName} ${alias ?? ''}`;

/** Returns each provider configuration of the root module: its requirement, the aliases it expects, its blocks. */
export function rootProviderRequirements(root: ModuleFolder, toolName: ToolName): RootProviderRequirement[] {
  const tuples = new Map<string, Tuple>();
  const add = (tuple: Tuple) => tuples.set(tupleKey(tuple), tuple);
  for (const [localName, { aliases }] of root.configuration.requiredProviders) {
    add({ localName, alias: undefined });
    for (const alias of aliases) add({ localName, alias });
  }
  for (const block of root.configuration.providers) add(tupleOf(block));
  const requirements = [...tuples].flatMap(([key, { localName, alias }]) => {
    const source = sourceOf(root, localName, toolName);
    const version = root.configuration.requiredProviders.get(localName)?.version;
    if (source === undefined || isBuiltIn(source)) return [];
    const named = { source, moduleLocalName: localName, ...(alias === undefined ? {} : { childAlias: alias }) };
    return [{ key: `${source} ${key}`, value: { ...named, ...(version === undefined ? {} : { version }) } }];
  });
  return requirements.sort((left, right) => (left.key < right.key ? -1 : 1)).map(({ value }) => value);
}

const tupleOf = ({ labels, body }: Declared): Tuple => ({
  localName: labels[0] as string,
  alias: literalText(attribute(body, 'alias')),
});

const blockMeta = new Set(['alias', 'version', 'for_each', '//']);

/**
 * Returns the provider blocks of the root module, sorted, so that an override can complete them without changing their
 * values.
 */
export function ownProviderBlocks(root: ModuleFolder, toolName: ToolName): OwnProviderBlock[] {
  const keyed = root.configuration.providers.map((block) => ({ block, tuple: tupleOf(block) }));
  keyed.sort((left, right) => (tupleKey(left.tuple) < tupleKey(right.tuple) ? -1 : 1));
  return keyed.flatMap(({ block, tuple: { localName, alias } }) => {
    const source = sourceOf(root, localName, toolName);
    if (source === undefined || isBuiltIn(source)) return [];
    return [
      {
        source,
        moduleLocalName: localName,
        ...(alias === undefined ? {} : { childAlias: alias }),
        arguments: Object.keys(block.body)
          .filter((name) => !blockMeta.has(name))
          .sort(),
        forEach: attribute(block.body, 'for_each') !== undefined,
      },
    ];
  });
}

type Undeclared = { localName: string; file: string; use: 'function' | 'passed' };

/**
 * Returns providers that init accepts and plan then misses: a function needs an entry in `required_providers` of its
 * own module; a default configuration that is passed to a module must be required, configured or passed in itself.
 */
export function undeclaredProviders(graph: readonly ModuleFolder[]): Undeclared[] {
  const handedIn = receivedNames(graph);
  return graph.flatMap((folder, index) => {
    const { functionProviders, requiredProviders } = folder.configuration;
    const functions = [...functionProviders].filter(([localName]) => !requiredProviders.has(localName));
    const passed = folder.calls.flatMap((call) => call.passed.map(({ parent }) => ({ parent, file: call.file })));
    const received = index === 0 ? undefined : handedIn.get(folder.path);
    const missing = passed.filter(
      ({ parent: { localName, alias } }) =>
        alias === undefined &&
        !requiredProviders.has(localName) &&
        !hasDefaultBlock(folder, localName) &&
        !received?.has(localName),
    );
    return [
      ...functions.map(([localName, file]) => ({ localName, file, use: 'function' as const })),
      ...missing.map(({ parent, file }) => ({ localName: parent.localName, file, use: 'passed' as const })),
    ];
  });
}

const hasDefaultBlock = ({ configuration }: ModuleFolder, localName: string): boolean =>
  configuration.providers.some((block) => block.labels[0] === localName && tupleOf(block).alias === undefined);

/** Returns, for each called folder, the names that every call of it passes in. */
function receivedNames(graph: readonly ModuleFolder[]): Map<string, Set<string>> {
  const received = new Map<string, Set<string>>();
  for (const { target, passed } of graph.flatMap(({ calls }) => calls)) {
    const names = new Set(passed.map(({ child }) => child));
    const known = received.get(target);
    received.set(target, known ? new Set([...known].filter((name) => names.has(name))) : names);
  }
  return received;
}
