import { foldName, isDeviceName } from '#server/kernel/fold-name';

/*
 * Names are folded the way the file system finds a file. Those of desktops ignore case: the tool would find
 * `Terraform.tfvars` when it opens `terraform.tfvars`.
 */

/** Folds each part of a path. */
const foldPath = (path: string, platform: NodeJS.Platform | undefined): string[] =>
  path.split('/').map((part) => foldName(part, platform));

/** Extensions of configuration, longest first: the rest of a name is the stem. */
export const configExtensions = ['.tofu.json', '.tf.json', '.tofu', '.tf'] as const;

export const lockFileName = '.terraform.lock.hcl';

/** Reports whether the tool would read this file of a module folder as configuration. */
export const isConfigName = (name: string): boolean =>
  configExtensions.some((extension) => foldName(name).endsWith(extension)) &&
  !name.startsWith('.') &&
  !name.endsWith('~');

/** Returns the name without its configuration extension. */
function stemOf(name: string): string {
  const extension = configExtensions.find((candidate) => name.endsWith(candidate));
  return extension === undefined ? name : name.slice(0, -extension.length);
}

/** Override files are merged after the rest, in byte order of their names. */
export const isOverrideName = (name: string): boolean => /(^|_)override$/.test(stemOf(name)) && isConfigName(name);

const loadedByItself = /^terraform\.tfvars(\.json)?$|\.auto\.tfvars(\.json)?$|\.(tftest|tofutest)\.(hcl|json)$/;
/** Names at which init looks for a state from before a backend was configured; it aborts, or takes the state over. */
const formerState = /^terraform\.tfstate(\..*)?$/;
const leftOverState = /\.tfstate(\..*)?$|^\..*\.lock\.info$/;
const cliConfigName = /^(\.terraformrc|\.tofurc|terraform\.rc|tofu\.rc)$|\.tfrc$/;
const refusedFolders = new Set(['.terraform', 'terraform.d']);

/**
 * Reports whether a file of an archive is left out of the tree: values and tests that the tool loads automatically
 * (init fetches modules that tests name), and states, which belong to the Capsule.
 */
export function isLeftOut(path: string, platform?: NodeJS.Platform): boolean {
  const parts = foldPath(path, platform);
  const name = parts.at(-1) ?? '';
  return loadedByItself.test(name) || leftOverState.test(name) || parts.includes('terraform.tfstate.d');
}

/**
 * Returns why a path of an archive makes it unusable, as the end of a sentence, or undefined. Plugin folders are
 * trusted as provider sources, a provisioner file replaces the built-in one, and a CLI configuration replaces ours.
 */
export function findRefusal(path: string, platform?: NodeJS.Platform): string | undefined {
  if (path.split('/').some((part) => isDeviceName(part, platform))) return 'a name that Windows reserves for a device';
  const parts = foldPath(path, platform);
  const folder = parts.find((part) => refusedFolders.has(part));
  if (folder !== undefined) return `the folder ${folder}/, which the tool would trust as its own`;
  const name = parts.at(-1) ?? '';
  if (name.startsWith('terraform-provisioner-'))
    return 'a terraform-provisioner-* file, which would run in place of a built-in';
  return cliConfigName.test(name) ? 'a CLI configuration file, which could redirect the tool' : undefined;
}

/** Reports whether a file that a command may have written into the tree would influence the next command. */
export function steersTool(name: string, platform?: NodeJS.Platform): boolean {
  const folded = foldName(name, platform);
  return (
    configExtensions.some((extension) => folded.endsWith(extension)) ||
    folded === lockFileName ||
    loadedByItself.test(folded) ||
    formerState.test(folded) ||
    refusedFolders.has(folded) ||
    findRefusal(name, platform) !== undefined
  );
}

/**
 * Extensions of files that the tools read automatically: configuration, values, states, settings, tests, queries,
 * stacks.
 */
const ownEnding = /\.(tf|tofu|(tf|tofu)(vars|state|rc|test|mock|query|stack|component|deploy))(\.(json|hcl))?$/;

/**
 * Reports whether a file of this path would be loaded by a tool or would change its operation, considering every part
 * of the path and every operating system. Used for files that a program creates, none of which may be read as part of
 * the module.
 */
export function isLoadedByTool(path: string): boolean {
  const lower = path.toLowerCase();
  if (isLeftOut(lower) || findRefusal(lower) !== undefined) return true;
  return lower.split('/').some((part) => {
    // Windows reads a name with trailing dots or spaces as the name without them.
    const name = part.replace(/[. ]+$/, '');
    return name.startsWith('.terraform') || ownEnding.test(name) || steersTool(name) || isLeftOut(name);
  });
}
