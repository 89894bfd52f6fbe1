import { readFileSync } from 'node:fs';
import type { Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';

/** Reads the file that a setting names. Throws `StartError` with the name of the setting. */
export function readSettingFile(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new StartError(`The file of ${setting} cannot be read. Name a file that the server may read.`);
  }
}

/** Returns the certificate authorities of GROUNDCTL_CA_FILE as PEM; undefined without one. Throws `StartError`. */
export const readAuthorities = ({ caFile }: Pick<Settings, 'caFile'>): string | undefined =>
  caFile === undefined ? undefined : readSettingFile(caFile, 'GROUNDCTL_CA_FILE');
