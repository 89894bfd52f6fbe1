import type { ToolName } from './types.ts';

/**
 * Argument vectors of the commands that a Run executes, without the path of the tool. Every command runs in the
 * module's own folder, is never interactive and uses the machine-readable stream if it has one.
 */
type Argv = readonly string[];

const vars = (varFile: string | undefined): string[] => (varFile === undefined ? [] : [`-var-file=${varFile}`]);

/**
 * `get`: installs only modules. Without network it is the guard against remote module sources. terraform's has no
 * stream.
 */
export const getArgs = (options: { tool: ToolName; varFile?: string }): Argv =>
  options.tool === 'tofu' ? ['get', '-json', '-no-color', ...vars(options.varFile)] : ['get', '-no-color'];

/**
 * `init`. `modules: false` skips module installation (`-get=false`), so that a command with network downloads only
 * providers. `lockReadonly` prevents a change of the lock file. Variables are passed because tofu evaluates sources
 * statically.
 */
export function initArgs(options: {
  tool: ToolName;
  varFile?: string;
  modules?: boolean;
  lockReadonly?: boolean;
}): Argv {
  const argv = ['init', '-json', '-input=false', '-no-color'];
  if (options.modules === false) argv.push('-get=false');
  if (options.lockReadonly) argv.push('-lockfile=readonly');
  // Only tofu evaluates sources and backends early; terraform's init does not use values.
  if (options.tool === 'tofu') argv.push(...vars(options.varFile));
  return argv;
}

/**
 * `plan -out`: `destroy` plans the destruction of everything, `refreshOnly` compares with the real infrastructure and
 * proposes no changes.
 */
export function planArgs(options: {
  out: string;
  varFile?: string;
  destroy?: boolean;
  refreshOnly?: boolean;
  parallelism?: number;
}): Argv {
  const argv = ['plan', '-json', '-input=false', '-no-color', `-out=${options.out}`];
  if (options.destroy) argv.push('-destroy');
  if (options.refreshOnly) argv.push('-refresh-only');
  if (options.parallelism !== undefined) argv.push(`-parallelism=${options.parallelism}`);
  argv.push(...vars(options.varFile));
  return argv;
}

/** `show -json` of a saved plan or a state file. */
export const showArgs = (options: { tool: ToolName; file: string; varFile?: string }): Argv => [
  'show',
  '-json',
  '-no-color',
  ...(options.tool === 'tofu' ? vars(options.varFile) : []),
  options.file,
];

/** `apply` of a saved plan; `varFile` holds only the ephemeral variables, because the plan contains the others. */
export const applyArgs = (options: { planFile: string; varFile?: string; parallelism?: number }): Argv => [
  'apply',
  '-json',
  '-input=false',
  '-no-color',
  ...(options.parallelism === undefined ? [] : [`-parallelism=${options.parallelism}`]),
  ...vars(options.varFile),
  options.planFile,
];

/** `validate -json` of an initialized folder. */
export const validateArgs = (): Argv => ['validate', '-json', '-no-color'];

/** `providers schema -json` of an initialized folder. */
export const providersArgs = (): Argv => ['providers', 'schema', '-json'];

export const versionArgs = (): Argv => ['version', '-json'];
