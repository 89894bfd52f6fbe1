import { ApiError } from '#shared/kernel/client';
import { isOutside } from '#shared/sources/finding-rules';
import { modulePathOf } from '#shared/sources/inspection';
import type { InstallModules, InstallModulesReason } from '#shared/sources/module-scan';
import { CommandError, exitCodes, failed } from '../exit-codes.ts';
import type { Work } from './command.ts';
import { oneLine } from './text.ts';

type Asker = Pick<Work, 'options' | 'terminal'>;

const reasons: Readonly<Record<InstallModulesReason, string>> = {
  scan_unavailable: 'this commit was never scanned',
  scan_failed: 'the scan did not end',
  file_limit_exceeded: 'it has more configuration files than a scan reads',
  file_too_large: 'a configuration file is too large',
  total_bytes_exceeded: 'its configuration files are too large together',
  module_limit_exceeded: 'it has more modules than a scan lists',
  configuration_invalid: 'its configuration cannot be used as it is',
};
const shownModules = 200;
const shownFindings = 20;

/**
 * Returns the only module, or the folder of `--module`, which the check still has to find: the list leaves out examples
 * and modules that others call. Throws a `CommandError` with the choices when the command has to name one.
 */
export function chooseModule(asker: Asker, list: InstallModules, sourcePath: string): string {
  const named = asker.options.module?.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  if (named === undefined && list.status === 'invalid') throw failed(list.reason, invalidText(list, sourcePath));
  const chosen = modulePathOf(list.modules, named === '' ? '.' : named);
  if (chosen !== undefined) return chosen;
  if (list.modules.length === 0)
    throw failed('no_module', 'There is no module here. Name another folder with --path or --module.');
  throw choiceOf(asker, list, 'There are several modules. Choose one');
}

/** Turns the error for a missing module into one that lists the available modules; returns any other error unchanged. */
export function asMissingModule(error: unknown, asker: Asker, list: InstallModules, named: string): unknown {
  if (!(error instanceof ApiError) || error.details['reason'] !== 'module_path_not_found') return error;
  const lead = `There is no module "${oneLine(named)}"`;
  if (list.modules.length > 0) return choiceOf(asker, list, `${lead}. Choose one`);
  return failed('no_module', `${lead}. Name a folder with configuration files.`);
}

function choiceOf({ terminal }: Asker, { modules }: InstallModules, lead: string): CommandError {
  const paths = modules.map(({ path }) => path);
  if (terminal.isJson) terminal.document({ modules: paths });
  const more = paths.length > shownModules ? `\n  … and ${paths.length - shownModules} more` : '';
  const list = paths.slice(0, shownModules).map((one) => `\n  --module ${oneLine(one)}`);
  return new CommandError(`${lead}:${list.join('')}${more}`, {
    exitCode: exitCodes.wrongUse,
    code: 'module_path_required',
  });
}

type Invalid = Extract<InstallModules, { status: 'invalid' }>;

function invalidText(list: Invalid, sourcePath: string): string {
  const { findings, reason } = list;
  const more = findings.length - shownFindings;
  return [
    `No module can be installed from here: ${reasons[reason]}.`,
    ...findings.slice(0, shownFindings).map((one) => `  ${oneLine(one.path)}: ${oneLine(one.message)}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
    ...remedies(list, sourcePath),
  ].join('\n');
}

/** Lists options with which the folder at `folder` of the repository installs, or other folders that scan clean. */
export function remedies(list: InstallModules, folder: string): string[] {
  if (list.status !== 'invalid') return [];
  return [
    ...(list.findings.some(isOutside)
      ? ['Read the whole repository, and install this folder of it:', `  --path . --module ${oneLine(folder)}`]
      : []),
    ...(list.findings.some(({ code }) => code === 'remote_module_source')
      ? ['It calls modules elsewhere. An installable copy holds them, after a review:', '  groundctl copy GIT-URL']
      : []),
    ...(list.cleanScopes.length > 0
      ? ['These folders can be used:', ...list.cleanScopes.map((one) => `  --path ${oneLine(one)}`)]
      : []),
  ];
}
