import { isJsonObject, type Json } from '#shared/kernel/json';
import { attribute, blocksOf, type LocatedBlock, type Problem } from './blocks.ts';
import { literalText, providerReference } from './expressions.ts';
import { canonicalProvider, impliedProvider, isLocalName } from './provider-address.ts';
import type { ToolName } from './types.ts';

/** An entry of `required_providers`; `source` is the full address. */
export type RequiredProvider = {
  source: string;
  version?: string;
  aliases: readonly string[];
  file: string;
};

/** Returns the entries of one folder by local name. An override file replaces whole entries. */
export function readRequiredProviders(
  settings: readonly LocatedBlock[],
  toolName: ToolName,
  problems: Problem[],
): Map<string, RequiredProvider> {
  const blocks = settings.flatMap(({ body, file, override }) =>
    blocksOf(body, 'required_providers', 0).map((block) => ({ entries: block.body, file, override })),
  );
  for (const { file } of blocks.filter(({ override }) => !override).slice(1)) {
    problems.push({ path: file, message: 'A module may have only one required_providers block. Join them.' });
  }
  const providers = new Map<string, RequiredProvider>();
  for (const { entries, file } of blocks) {
    for (const [localName, entry] of Object.entries(entries)) {
      const provider = readEntry({ localName, entry, file, toolName });
      if (provider) providers.set(localName, provider);
      else if (localName !== '//') problems.push({ path: file, message: badEntry(localName) });
    }
  }
  return providers;
}

const badEntry = (localName: string): string =>
  `The required_providers entry "${localName}" is not a valid provider. Give it a source and a version as plain texts.`;

type Entry = { localName: string; entry: Json; file: string; toolName: ToolName };

function readEntry({ localName, entry, file, toolName }: Entry): RequiredProvider | undefined {
  if (typeof entry === 'string') {
    const source = impliedProvider(localName, toolName);
    const version = literalText(entry);
    return source && version !== undefined ? { source, version, aliases: [], file } : undefined;
  }
  if (!isJsonObject(entry) || !isLocalName(localName)) return undefined;
  const source = readSource(localName, attribute(entry, 'source'), toolName);
  const declared = attribute(entry, 'version');
  const version = literalText(declared);
  if (source === undefined || (declared !== undefined && version === undefined)) return undefined;
  const aliases = readAliases(localName, attribute(entry, 'configuration_aliases'));
  return aliases && { source, ...(version === undefined ? {} : { version }), aliases, file };
}

function readSource(localName: string, source: Json | undefined, toolName: ToolName): string | undefined {
  if (source === undefined) return impliedProvider(localName, toolName);
  const text = literalText(source);
  return text === undefined ? undefined : canonicalProvider(text, toolName);
}

/**
 * Reads the aliases of `configuration_aliases`: each item is written `<local name>.<alias>`, or `<local name>` for the
 * default configuration, which needs no alias (OpenTofu, "Provider Aliases Within Modules"). Undefined for anything
 * else.
 */
function readAliases(localName: string, value: Json | undefined): string[] | undefined {
  const items = value === undefined ? [] : value;
  if (!Array.isArray(items)) return undefined;
  const aliases: string[] = [];
  for (const item of items as readonly Json[]) {
    const reference = providerReference(item);
    if (reference?.localName !== localName) return undefined;
    if (reference.alias !== undefined) aliases.push(reference.alias);
  }
  return aliases;
}
