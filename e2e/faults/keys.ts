import path from 'node:path';
import { viewKeys } from '#server/compose/key-host';
import type { Vault } from '#server/drivers/vault/index';
import { viewLedger } from '#server/kernel/db';

/** Returns the keys of a data folder, for tests that read its ledger; its key file is where test servers keep it. */
export async function openKeys(dataDir: string): Promise<Vault> {
  const ledger = viewLedger(dataDir);
  if (!ledger) throw new Error(`There is no ledger in ${dataDir}.`);
  const keyFile = path.join(dataDir, 'keys', 'master.key');
  const vault = await viewKeys(ledger, { dataDir, keyFile, keySource: undefined, passphraseFile: undefined });
  ledger.close();
  return vault;
}
export type { Vault };
