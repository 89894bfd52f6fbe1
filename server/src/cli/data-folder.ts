import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { viewKeys } from '../compose/key-host.ts';
import { sealedColumns } from '../compose/sealed-columns.ts';
import { locateTool } from '../compose/tool-host.ts';
import { type OpenExamination, openExamination } from '../domains/doctor/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { freeBytes } from '../kernel/disk.ts';
import { readSettings, SettingError } from '../kernel/settings.ts';
import { limitsEnforced, probeSandbox } from '../runner/index.ts';
import type { Flags } from './flags.ts';

/** Opens a data folder for reading only, whether or not a server runs on it. Throws `SettingError` when it does not exist. */
export async function openDataFolder(flags: Flags): Promise<OpenExamination> {
  const settings = readSettings(process.env, flags);
  const { dataDir, toolPath } = settings;
  if (!existsSync(dataDir)) throw new SettingError(`There is no data folder at ${dataDir}.`);
  const host = { dataDir, home: homedir(), env: process.env, settingPath: toolPath };
  return openExamination({
    dataDir,
    clock: systemClock,
    machine: {
      platform: process.platform,
      findTool: () => locateTool(host).catch(() => undefined),
      probe: probeSandbox,
      freeBytes: () => freeBytes(dataDir),
      shortfall: () => limitsEnforced().shortfall,
    },
    sealedColumns,
    openVault: (ledger) => viewKeys(ledger, settings),
  });
}
