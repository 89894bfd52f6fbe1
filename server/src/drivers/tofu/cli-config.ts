import { TofuError } from './error.ts';

export type CliConfigOptions = {
  /** Providers that one init may see, in the unpacked layout; always searched. */
  storeDir: string;
  /** Addresses that come only from the store, so that a registry is never contacted for them. */
  storeProviders?: readonly string[];
  /** Filesystem mirror of an operator; searched before the registry. */
  mirrorDir?: string;
  /** Addresses that the mirror holds: they come only from the mirror. */
  mirrorProviders?: readonly string[];
  /** False: only folders are sources, so nothing is ever downloaded. */
  network: boolean;
};

/**
 * Returns the text of the file that `TF_CLI_CONFIG_FILE` names. It always has a `provider_installation` block: without
 * one the tool trusts plugin folders it finds in the repository. Each address belongs to one source, because the tool
 * queries every source that may hold it, and one that does not answer fails the init.
 */
export function cliConfig(options: CliConfigOptions): string {
  const mirrored = options.mirrorProviders ?? [];
  const stored = (options.storeProviders ?? []).filter((address) => !mirrored.includes(address));
  const sources: string[] = [];
  if (options.mirrorDir !== undefined) sources.push(mirror(options.mirrorDir, { include: mirrored }));
  if (options.network) {
    if (stored.length > 0) sources.push(mirror(options.storeDir, { include: stored }));
    sources.push(block('direct', [list('exclude', [...mirrored, ...stored])]));
  } else {
    sources.push(mirror(options.storeDir, { exclude: mirrored }));
  }
  return `disable_checkpoint = true\n\nprovider_installation {\n${sources.join('')}}\n`;
}

function mirror(folder: string, only: { include?: readonly string[]; exclude?: readonly string[] }): string {
  return block('filesystem_mirror', [
    `    path = ${quoted(folder)}\n`,
    list('include', only.include ?? []),
    list('exclude', only.exclude ?? []),
  ]);
}

const block = (name: string, lines: readonly string[]): string => `  ${name} {\n${lines.join('')}  }\n`;

const list = (name: string, values: readonly string[]): string =>
  values.length === 0 ? '' : `    ${name} = [${values.map(quoted).join(', ')}]\n`;

/**
 * Quotes a text. The CLI configuration is HCL 1: no escape prevents `${` from being read as an interpolation, so it is
 * refused.
 */
function quoted(value: string): string {
  if (value.includes('${'))
    throw new TofuError('configuration_invalid', 'A folder name holds "${"; choose another data folder.');
  return JSON.stringify(value);
}
