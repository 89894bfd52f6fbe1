import type { ToolName } from './types.ts';

type ConfigurationName = {
  /** `.tf`, `.tofu`, `.tf.json` or `.tofu.json`. */
  extension: string;
  /** The name without its extension. */
  stem: string;
  override: boolean;
  tofu: boolean;
  json: boolean;
};

const pattern = /^(.*)(\.(?:tf|tofu)(?:\.json)?)$/s;

/**
 * Returns the meaning of a file name to a tool that reads both families, or undefined when no tool loads such a name.
 */
export function configurationName(name: string): ConfigurationName | undefined {
  const [, stem = '', extension] = pattern.exec(name) ?? [];
  if (!extension || isIgnored(name)) return undefined;
  return {
    extension,
    stem,
    override: stem === 'override' || stem.endsWith('_override'),
    tofu: extension.startsWith('.tofu'),
    json: extension.endsWith('.json'),
  };
}

/** Reports whether a file is hidden or an editor backup, which are never loaded. */
const isIgnored = (name: string): boolean =>
  name.startsWith('.') || name.endsWith('~') || (name.startsWith('#') && name.endsWith('#'));

/** Reports whether the tool loads a file of this name as configuration. */
export const isConfiguration = (name: string, toolName: ToolName): boolean => {
  const parsedName = configurationName(name);
  return parsedName !== undefined && (toolName === 'tofu' || !parsedName.tofu);
};

export type LoadedName = ConfigurationName & { name: string };

/**
 * Returns the files of one folder that the tool loads, in merge order: primary files by name, then override files by
 * name. With tofu a `.tofu` file hides the `.tf` file of the same stem.
 */
export function loadOrder(names: readonly string[], toolName: ToolName): LoadedName[] {
  const loadableNames = names
    .filter((name) => isConfiguration(name, toolName))
    .map((name) => ({ name, ...(configurationName(name) as ConfigurationName) }));
  const present = new Set(loadableNames.map(({ name }) => name));
  const shown = loadableNames.filter((file) => file.tofu || !present.has(shadowOf(file)));
  return shown.sort((left, right) => Number(left.override) - Number(right.override) || byBytes(left.name, right.name));
}

const shadowOf = ({ stem, extension }: ConfigurationName): string => `${stem}${extension.replace('.tf', '.tofu')}`;

/** Compares names by their bytes, in the order of the tool. */
const byBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));

export const lockFileName = '.terraform.lock.hcl';

/** Reports whether the tool loads this variable file automatically when it runs in its folder. */
export const isVariablesFile = (name: string): boolean =>
  /^terraform\.tfvars(?:\.json)?$|\.auto\.tfvars(?:\.json)?$/.test(name);

const forbiddenFolders = new Set(['.terraform', 'terraform.d']);
const forbiddenFiles = /^(?:terraform-provisioner-.*|\.terraformrc|\.tofurc|.*\.tfrc|terraform\.rc|tofu\.rc)$/s;

/**
 * Returns the part of a path that would change how the tool runs: its data folder, a plugin folder, a provisioner
 * program or a command line configuration. Letter case is ignored, as on some file systems.
 */
export function forbiddenPart(path: string): string | undefined {
  const parts = path.toLowerCase().split('/');
  const folder = parts.findIndex((part) => forbiddenFolders.has(part));
  if (folder >= 0)
    return path
      .split('/')
      .slice(0, folder + 1)
      .join('/');
  return forbiddenFiles.test(parts.at(-1) as string) ? path : undefined;
}

/** Reports whether a name sorts after generated files, which start with `z` and must come last. */
export const sortsAfterGenerated = (name: string): boolean => byBytes(name.slice(0, 1), 'z') > 0;
