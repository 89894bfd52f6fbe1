import { openStoppedFolder } from '../../index.ts';
import { isDataDirLocked } from '../../kernel/db.ts';
import { AppError } from '../../kernel/errors.ts';
import { hasLedger } from '../../kernel/ledger-file.ts';
import { createConsoleLog } from '../../kernel/log.ts';
import { readSettings } from '../../kernel/settings.ts';
import { failed, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import type { CapsuleWork } from './capsule-work.ts';
import type { TerminalWork } from './command.ts';
import { oneLine } from './text.ts';

const settingsOf = (dataDir: string | undefined) => readSettings(process.env, dataDir === undefined ? {} : { dataDir });

/** Returns the data folder that a command names; undefined when a server runs on it, or when it has no ledger. */
export function findStoppedFolder({ 'data-dir': named }: OptionValues): string | undefined {
  if (named === undefined && process.env['GROUNDCTL_URL']) return undefined;
  const { dataDir } = settingsOf(named);
  return hasLedger(dataDir) && !isDataDirLocked(dataDir) ? dataDir : undefined;
}

/** Opens a stopped data folder for a command about one Capsule. */
export async function workInFolder(
  dataDir: string,
  input: TerminalWork,
  work: (input: CapsuleWork) => Promise<number>,
): Promise<number> {
  const log = createConsoleLog((line) => void process.stderr.write(line));
  const { domains, close } = await openStoppedFolder({ settings: settingsOf(dataDir), log });
  const { exports } = domains;
  try {
    const { id, name } = findOnly(exports.listNamed(input.args[0] ?? '', input.options.workspace));
    return await work({
      ...input,
      capsule: {
        name,
        export: (body) => exports.export(id, body, 'operator'),
        readState: async (body) => exports.readState(id, body, 'operator'),
      },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw failed(String(error.details?.reason ?? error.code), error.message);
  } finally {
    await close();
  }
}

function findOnly<T extends { id: string; environment: string; workspace: string }>(matches: readonly T[]): T {
  const [only] = matches;
  if (!only) throw wrongUse('There is no such Capsule in this data folder.');
  if (matches.length === 1) return only;
  const ids = matches.map(({ id, environment, workspace }) => `${id} (${oneLine(environment)} of ${workspace})`);
  throw wrongUse(`${matches.length} Capsules have this name. Name one by its id: ${ids.join(', ')}.`);
}
