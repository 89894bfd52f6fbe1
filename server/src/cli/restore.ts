import path from 'node:path';
import { openRestoredFolder, storeRestoredKeys } from '../compose/backup-host.ts';
import {
  type BackupVerification,
  restoreInstallation,
  type StagedBackup,
  verifyBackup,
} from '../domains/installation-backups/index.ts';
import { readSettings, SettingError } from '../kernel/settings.ts';
import { sayBackupError } from './backup-errors.ts';
import { decryptWithOf } from './backup-keys.ts';
import { exitCodes, wrongUse } from './exit-codes.ts';
import type { OptionValues, ParsedCommand } from './options.ts';

/** Restores a backup of an installation into an empty data folder, with no server on it. */
export async function runRestore({ options, args }: ParsedCommand): Promise<number> {
  const dataDir = options['data-dir'];
  if (dataDir === undefined) throw wrongUse('Name the new data folder with --data-dir. It must be missing or empty.');
  const settings = readSettings(process.env, { dataDir });
  const storage = storageOf(options, settings.keySource);
  const decryptWith = await decryptWithOf(options);
  const staged = await sayBackupError(() =>
    restoreInstallation({
      file: path.resolve(args[0] ?? ''),
      decryptWith,
      dataDir: settings.dataDir,
      now: Date.now(),
      storeKeys: storeRestoredKeys(settings, storage),
    }),
  );
  process.stdout.write(
    options.json === true ? `${JSON.stringify(documentOf(staged))}\n` : `${restoredLines(staged).join('\n')}\n`,
  );
  return exitCodes.done;
}

function storageOf({ to }: OptionValues, setting: string | undefined): 'keychain' | 'file' {
  const wanted = to ?? (setting === 'keychain' ? 'keychain' : 'file');
  if (wanted === 'keychain' || wanted === 'file') return wanted;
  throw wrongUse('Name the location of the key with --to keychain or --to file.');
}

const documentOf = ({ dir, manifest: { members: _, ...manifest }, omitted }: StagedBackup) => ({
  dataDir: dir,
  manifest,
  omitted,
});

function restoredLines({ dir, manifest, keys, omitted }: StagedBackup): string[] {
  return [
    `${dir} holds the installation as it was at ${manifest.createdAt}.`,
    ...(keys.length === 0 ? ['Its key is derived from a passphrase. The first start asks for it.'] : []),
    ...omittedLines(omitted),
    `Start it with: groundctl serve --data-dir ${dir}`,
  ];
}

const omittedTexts: Readonly<Record<StagedBackup['omitted'][number]['reason'], string>> = {
  link: 'it is a link or a special file',
  name: 'its name is not plain text',
  unreadable: 'it could not be read',
  damaged: 'its content does not match its digest',
  too_large: 'it is too large',
  too_many: 'the folder has too many files, and is in the backup in part',
};

const omittedLines = (omitted: StagedBackup['omitted']): string[] =>
  omitted.length === 0
    ? []
    : [
        `Not in the backup: ${omitted.length === 1 ? '1 file' : `${omitted.length} files`}`,
        ...omitted.map(({ path: name, reason }) => `  ${name}: ${omittedTexts[reason]}`),
      ];

/** Checks a backup by restoring it into a temporary folder; returns 1 when something in it is wrong. */
export async function runBackupVerify({ options, args }: ParsedCommand): Promise<number> {
  // Only where a passphrase is stored is read of them.
  const settings = readSettings(process.env, { dataDir: '.' });
  const decryptWith = await decryptWithOf(options);
  const found = await sayBackupError(() =>
    verifyBackup({ file: path.resolve(args[0] ?? ''), decryptWith, openFolder: openRestoredFolder(settings) }),
  );
  if (found.sealedBy !== undefined) throw new SettingError(`${found.sealedBy} ${sealedRemedy}`);
  process.stdout.write(options.json === true ? `${JSON.stringify(found)}\n` : `${verifiedLines(found).join('\n')}\n`);
  return found.isWhole ? exitCodes.done : exitCodes.failed;
}

const sealedRemedy =
  'Its states were not opened. Name the passphrase of the installation with GROUNDCTL_PASSPHRASE_FILE.';

function verifiedLines({ manifest, omitted, checks, trail, isWhole, milliseconds }: BackupVerification): string[] {
  const { memberCount, totalBytes, createdAt, ledgerSequence } = manifest;
  const findings = checks.flatMap(({ name, findings: all }) =>
    all.flatMap(({ level, subject, message }) => [
      `${level.padEnd(8)} ${name}  ${subject ?? ''}`,
      `         ${message}`,
    ]),
  );
  return [
    `Installation ${manifest.installationId} as it was at ${createdAt}, after event ${ledgerSequence}.`,
    `${memberCount} files, ${totalBytes} bytes: every digest is right.`,
    `${checks.length} checks, ${trail?.rows ?? 0} rows of the audit trail.`,
    ...findings,
    ...omittedLines(omitted),
    isWhole ? 'The backup is whole: it was restored, every state opens.' : 'The backup has problems.',
    `Restoring and checking took ${(milliseconds / 1_000).toFixed(1)} s.`,
  ];
}
