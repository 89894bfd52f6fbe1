import { type OpenExamination, openExamination } from '../domains/doctor/index.ts';
import { type ExportedKey, storeKeys, viewVault } from '../domains/keys/index.ts';
import { createMemorySource, masterKeyOf } from '../drivers/vault/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { freeBytes } from '../kernel/disk.ts';
import { findInstallationId } from '../kernel/installation.ts';
import type { Settings } from '../kernel/settings.ts';
import { keySourcesOf } from './key-host.ts';
import { sealedColumns } from './sealed-columns.ts';

type KeySettings = Pick<Settings, 'keyFile' | 'passphraseFile'>;

/** Returns the function that stores the keys of a restored installation on this machine. */
export const storeRestoredKeys =
  (settings: KeySettings, kind: 'keychain' | 'file', nodePath = process.execPath) =>
  async (keys: readonly ExportedKey[], installationId: string): Promise<string> => {
    await storeKeys(keys, kind, keySourcesOf(installationId, settings, { nodePath }));
    return kind;
  };

/** Returns the function that opens a restored folder with the keys of its backup, for reading only. */
export const openRestoredFolder =
  (settings: KeySettings) =>
  async (dataDir: string, keys: readonly ExportedKey[]): Promise<OpenExamination> => {
    const stored = createMemorySource();
    for (const { key } of keys) await stored.store(masterKeyOf(Buffer.from(key, 'base64')));
    return openExamination({
      dataDir,
      clock: systemClock,
      // The machine is not checked.
      machine: {
        findTool: async () => undefined,
        probe: () => Promise.reject(new Error('The machine is not checked.')),
        freeBytes: () => freeBytes(dataDir),
        shortfall: () => undefined,
        platform: process.platform,
      },
      sealedColumns,
      openVault: (ledger) => {
        const sources = keySourcesOf(findInstallationId(ledger) ?? '', settings, { nodePath: process.execPath });
        return viewVault(ledger, {
          sources: (kind) => (kind === 'passphrase' ? sources(kind) : stored),
          interim: () => undefined,
        });
      },
    });
  };
