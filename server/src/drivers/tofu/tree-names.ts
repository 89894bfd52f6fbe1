/**
 * What a file's name means to the tool. File systems of desktops ignore case, so names are folded there: the tool would
 * find `Terraform.tfvars` when it asks for `terraform.tfvars`.
 */
const fold = (name: string): string => (process.platform === 'linux' ? name : name.toLowerCase());

/** Extensions of configuration, longest first: what is left of a name without one is the stem. */
export const configExtensions = ['.tofu.json', '.tf.json', '.tofu', '.tf'] as const;

export const lockFileName = '.terraform.lock.hcl';

/** Whether the tool would read this file of a module folder as configuration. */
export const isConfigName = (name: string): boolean =>
  configExtensions.some((extension) => fold(name).endsWith(extension)) && !name.startsWith('.') && !name.endsWith('~');

/** The name without its configuration extension. */
export function stemOf(name: string): string {
  const extension = configExtensions.find((candidate) => name.endsWith(candidate));
  return extension === undefined ? name : name.slice(0, -extension.length);
}

/** Override files are merged after the rest, in byte order of their names. */
export const isOverrideName = (name: string): boolean => /(^|_)override$/.test(stemOf(name)) && isConfigName(name);

const loadedByItself = /^terraform\.tfvars(\.json)?$|\.auto\.tfvars(\.json)?$|\.(tftest|tofutest)\.(hcl|json)$/;
/** Where init looks for the state of a time without a backend; it refuses to go on, or takes the state over. */
const formerState = /^terraform\.tfstate(\..*)?$/;
const leftOverState = /\.tfstate(\..*)?$|^\..*\.lock\.info$/;
const cliConfigName = /^(\.terraformrc|\.tofurc|terraform\.rc|tofu\.rc)$|\.tfrc$/;
const refusedFolders = new Set(['.terraform', 'terraform.d']);

/**
 * Files of an archive that do not enter the tree: values and tests the tool loads by itself (init fetches what tests
 * name), and states, which are the Capsule's own.
 */
export function isLeftOut(path: string): boolean {
  const parts = fold(path).split('/');
  const name = parts.at(-1) ?? '';
  return loadedByItself.test(name) || leftOverState.test(name) || parts.includes('terraform.tfstate.d');
}

/**
 * Why a path of an archive makes it unusable, as the end of a sentence, or undefined: plugin folders are trusted as
 * provider sources, a provisioner file replaces the built-in one, a CLI configuration replaces ours.
 */
export function findRefusal(path: string): string | undefined {
  const parts = fold(path).split('/');
  const folder = parts.find((part) => refusedFolders.has(part));
  if (folder !== undefined) return `the folder ${folder}/, which the tool would trust as its own`;
  const name = parts.at(-1) ?? '';
  if (name.startsWith('terraform-provisioner-'))
    return 'a terraform-provisioner-* file, which would run in place of a built-in';
  return cliConfigName.test(name) ? 'a CLI configuration file, which could redirect the tool' : undefined;
}

/** Names that a command may have written into the tree and that would steer the next command. */
export const steersTool = (name: string): boolean =>
  configExtensions.some((extension) => fold(name).endsWith(extension)) ||
  fold(name) === lockFileName ||
  loadedByItself.test(fold(name)) ||
  formerState.test(fold(name)) ||
  refusedFolders.has(fold(name)) ||
  findRefusal(name) !== undefined;

/** Endings of what the tools read by themselves: configuration, values, states, settings, tests, queries, stacks. */
const ownEnding = /\.(tf|tofu|(tf|tofu)(vars|state|rc|test|mock|query|stack|component|deploy))(\.(json|hcl))?$/;

/**
 * Whether a file of this path would be loaded by a tool or steer it, whatever part of the path says so and on whatever
 * system: for files that are made by a program, of which none may be read as part of the module.
 */
export function isLoadedByTool(path: string): boolean {
  const lower = path.toLowerCase();
  if (isLeftOut(lower) || findRefusal(lower) !== undefined) return true;
  return lower.split('/').some((part) => {
    // Windows takes a name with dots or spaces behind it for the name without them.
    const name = part.replace(/[. ]+$/, '');
    return name.startsWith('.terraform') || ownEnding.test(name) || steersTool(name) || isLeftOut(name);
  });
}
