import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { type OpenExamination, openExamination } from '../doctor/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { freeBytes } from '../kernel/disk.ts';
import { readSettings, SettingError } from '../kernel/settings.ts';
import { viewKeys } from '../key-host.ts';
import { limitsEnforced, probeSandbox } from '../runner/index.ts';
import { sealedColumns } from '../sealed-columns.ts';
import { locateTool } from '../tool-host.ts';
import type { Flags } from './flags.ts';

/** Opens a data folder for looking alone, whether a server runs on it or not. Throws `SettingError` when there is none. */
export async function openDataFolder(flags: Flags): Promise<OpenExamination> {
  const settings = readSettings(process.env, flags);
  const { dataDir, toolPath } = settings;
  if (!existsSync(dataDir)) throw new SettingError(`There is no data folder at ${dataDir}.`);
  const host = { dataDir, home: homedir(), env: process.env, settingPath: toolPath };
  return openExamination({
    dataDir,
    clock: systemClock,
    machine: {
      findTool: () => locateTool(host).catch(() => undefined),
      probe: probeSandbox,
      freeBytes: () => freeBytes(dataDir),
      shortfall: () => limitsEnforced().shortfall,
    },
    sealedColumns,
    openVault: (ledger) => viewKeys(ledger, settings),
  });
}
