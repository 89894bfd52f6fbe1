import type { Json } from '#shared/kernel/json';
import {
  attribute,
  blocksOf,
  bodiesOf,
  type Declared,
  type LoadedFile,
  type LocatedBlock,
  type Problem,
} from './blocks.ts';
import { escapeTemplates, providerFunctionsIn } from './expressions.ts';
import { mergeBlocks } from './merge-blocks.ts';
import { type RequiredProvider, readRequiredProviders } from './required-providers.ts';
import { readStorage, type Storage } from './storage.ts';
import type { ToolName } from './types.ts';

/** A constraint on the version of the tool, as far as this tool reads it. */
type VersionRule = { constraint: Json; file: string };

/** One folder of configuration as the tool sees it: shadowed files gone, override files merged. */
export type Configuration = {
  variables: readonly Declared[];
  outputs: readonly Declared[];
  calls: readonly Declared[];
  /** Labels are type and name. */
  resources: readonly Declared[];
  dataSources: readonly Declared[];
  ephemerals: readonly Declared[];
  /** One block per local name and alias. */
  providers: readonly Declared[];
  imports: readonly Declared[];
  removed: readonly Declared[];
  requiredProviders: ReadonlyMap<string, RequiredProvider>;
  storage: Storage;
  versionRules: readonly VersionRule[];
  /** Local names of providers whose functions are called, with a file that calls them. */
  functionProviders: ReadonlyMap<string, string>;
};

const locatedBlocks = (files: readonly LoadedFile[], type: string, labelCount: number): LocatedBlock[] =>
  files.flatMap(({ root, path, override }) =>
    bodiesOf(root).flatMap((body) =>
      blocksOf(body, type, labelCount).map((block) => ({ ...block, file: path, override })),
    ),
  );

/** Merges the files of one folder. Errors that the tool would report are added to `problems`. */
export function readConfiguration(
  files: readonly LoadedFile[],
  toolName: ToolName,
  problems: Problem[],
): Configuration {
  const merged = (type: string, labelCount: number) =>
    mergeBlocks(type, locatedBlocks(files, type, labelCount), problems);
  const settings = locatedBlocks(files, 'terraform', 0);
  const checks = locatedBlocks(files, 'check', 1);
  const inChecks = checks.flatMap(({ body, file }) => blocksOf(body, 'data', 2).map((block) => ({ ...block, file })));
  return {
    variables: mergeBlocks('variable', variableBlocks(files, problems), problems),
    outputs: merged('output', 1),
    calls: merged('module', 1),
    resources: merged('resource', 2),
    dataSources: [...merged('data', 2), ...inChecks],
    ephemerals: merged('ephemeral', 2),
    providers: merged('provider', 1),
    imports: locatedBlocks(files, 'import', 0),
    removed: locatedBlocks(files, 'removed', 0),
    requiredProviders: readRequiredProviders(settings, toolName, problems),
    storage: readStorage(settings, problems),
    versionRules: toolName === 'tofu' ? tofuRules(files, problems) : requiredVersions(settings),
    functionProviders: functionProviders(files),
  };
}

/** Texts of a variable that JSON syntax reads literally; native syntax reads them as templates. */
const plainInJson = ['default', 'description', 'deprecated'];

function variableBlocks(files: readonly LoadedFile[], problems: Problem[]): LocatedBlock[] {
  return files.flatMap((file) =>
    locatedBlocks([file], 'variable', 1).map((block) => {
      if (!file.json) {
        if (hasQuotedType(block)) problems.push({ path: file.path, message: quotedType(block) });
        return block;
      }
      const plain = plainInJson.flatMap((name): [string, Json][] => {
        const value = attribute(block.body, name);
        return value === undefined ? [] : [[name, escapeTemplates(value)]];
      });
      return { ...block, body: { ...block.body, ...Object.fromEntries(plain) } };
    }),
  );
}

/**
 * Reports whether a type is quoted. Native syntax passes an expression as `${…}`; a plain text was written in quotes or
 * as a heredoc.
 */
function hasQuotedType({ body }: LocatedBlock): boolean {
  const type = attribute(body, 'type');
  return typeof type === 'string' && !type.startsWith('${');
}

const quotedType = ({ labels }: LocatedBlock): string =>
  `The type of the variable "${labels[0]}" is quoted, as before version 0.12. Remove the quotes.`;

function requiredVersions(settings: readonly LocatedBlock[]): VersionRule[] {
  return settings.flatMap(({ body, file }) => {
    const constraint = attribute(body, 'required_version');
    return constraint === undefined ? [] : [{ constraint, file }];
  });
}

/**
 * Returns the version constraints for OpenTofu, which treats `required_version` of a `.tf` file as a constraint on
 * another tool, and has a block of its own.
 */
function tofuRules(files: readonly LoadedFile[], problems: Problem[]): VersionRule[] {
  const own = locatedBlocks(
    files.filter(({ tofu }) => tofu),
    'terraform',
    0,
  );
  const language = locatedBlocks(files, 'language', 0);
  for (const { override, file } of language) {
    if (override) problems.push({ path: file, message: 'A language block may not stand in an override file.' });
  }
  const compatible = language.flatMap(({ body, file }) =>
    blocksOf(body, 'compatible_with', 0).flatMap((block) => {
      const constraint = attribute(block.body, 'opentofu');
      return constraint === undefined ? [] : [{ constraint, file }];
    }),
  );
  return [...requiredVersions(own), ...compatible];
}

function functionProviders(files: readonly LoadedFile[]): Map<string, string> {
  const providers = new Map<string, string>();
  for (const { root, path } of files) {
    for (const name of providerFunctionsIn(root)) if (!providers.has(name)) providers.set(name, path);
  }
  return providers;
}
