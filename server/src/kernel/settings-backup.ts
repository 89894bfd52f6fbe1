import path from 'node:path';
import { type BucketLocation, findBucketLocation, regionOf } from './settings-fence.ts';
import { type Environment, findSetting, listed, pathOf, SettingError, whole } from './settings-read.ts';

/** Place of the backups of the installation: a folder, or a bucket with a JSON file of its keys. */
export type InstallationBackupTarget =
  | { kind: 'folder'; path: string }
  | ({ kind: 'bucket'; region: string; keyFile: string } & BucketLocation);

/** Settings of the daily backup of the whole installation. */
export type InstallationBackupSettings = {
  target: InstallationBackupTarget;
  /** Age recipients that each backup is encrypted for. */
  recipients: string[];
  /** Hour of the day in UTC. */
  hour: number;
  /** Number of backups that stay at the target. */
  keep: number;
};

const names = {
  target: 'GROUNDCTL_BACKUP_TARGET',
  recipients: 'GROUNDCTL_BACKUP_RECIPIENTS',
  hour: 'GROUNDCTL_BACKUP_HOUR',
  keep: 'GROUNDCTL_BACKUP_KEEP',
  keyFile: 'GROUNDCTL_BACKUP_KEY_FILE',
  region: 'GROUNDCTL_BACKUP_REGION',
} as const;
const mostRecipients = 16;

/** Reads the settings of the backup of the installation; undefined without one. Throws `SettingError`. */
export function readInstallationBackup(env: Environment): InstallationBackupSettings | undefined {
  const target = findSetting(env, names.target);
  const recipients = listed(env, names.recipients);
  if (target === undefined) {
    const stray = Object.values(names).find((name) => findSetting(env, name) !== undefined);
    if (stray !== undefined) throw new SettingError(`${stray} needs ${names.target}. Set both, or neither.`);
    return undefined;
  }
  if (recipients.length === 0)
    throw new SettingError(`${names.target} needs ${names.recipients}: age recipients, which begin with age1.`);
  if (recipients.length > mostRecipients || !recipients.every((one) => /^age1[02-9ac-hj-np-z]{58}$/.test(one)))
    throw new SettingError(`${names.recipients} must be at most 16 age recipients, separated by commas.`);
  return {
    target: targetOf(env, target),
    recipients,
    hour: whole(names.hour, env[names.hour], { min: 0, max: 23, fallback: 3 }),
    keep: whole(names.keep, env[names.keep], { min: 1, max: 365, fallback: 14 }),
  };
}

function targetOf(env: Environment, text: string): InstallationBackupTarget {
  const keyFile = pathOf(env, names.keyFile);
  if (path.isAbsolute(text)) {
    const stray = [names.keyFile, names.region].find((name) => findSetting(env, name) !== undefined);
    if (stray !== undefined) throw new SettingError(`${stray} is for a bucket, and ${names.target} is a folder.`);
    return { kind: 'folder', path: path.resolve(text) };
  }
  const location = findBucketLocation(text);
  if (!location)
    throw new SettingError(
      `${names.target} must be an absolute path of a folder, or https://HOST/BUCKET/PREFIX without keys; http is only for this machine.`,
    );
  if (keyFile === undefined) throw new SettingError(`${names.target} is a bucket, which needs ${names.keyFile}.`);
  return { kind: 'bucket', ...location, region: regionOf(env, names.region), keyFile };
}
