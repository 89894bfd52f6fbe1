import { expect, test } from 'vitest';
import { readInstallationBackup } from './settings-backup.ts';
import { SettingError } from './settings-read.ts';

const recipient = `age1${'q'.repeat(58)}`;
const read = (target: string, more: Record<string, string> = {}) =>
  readInstallationBackup({ GROUNDCTL_BACKUP_TARGET: target, GROUNDCTL_BACKUP_RECIPIENTS: recipient, ...more });

test('a backup of the installation has a folder or a bucket, and recipients', () => {
  expect(readInstallationBackup({})).toBeUndefined();
  expect(read('/mnt/backups')).toEqual({
    target: { kind: 'folder', path: '/mnt/backups' },
    recipients: [recipient],
    hour: 3,
    keep: 14,
  });
  const more = { GROUNDCTL_BACKUP_KEY_FILE: '/etc/keys.json', GROUNDCTL_BACKUP_HOUR: '0', GROUNDCTL_BACKUP_KEEP: '2' };
  expect(read('https://s3.example.com/copies/all', more)).toMatchObject({
    target: { kind: 'bucket', bucket: 'copies', prefix: 'all', region: 'us-east-1', keyFile: '/etc/keys.json' },
    hour: 0,
    keep: 2,
  });
});

test.each([
  ['backups', {}],
  ['http://s3.example.com/copies', { GROUNDCTL_BACKUP_KEY_FILE: '/etc/keys.json' }],
  ['https://s3.example.com/copies', {}],
  ['/mnt/backups', { GROUNDCTL_BACKUP_KEY_FILE: '/etc/keys.json' }],
  ['/mnt/backups', { GROUNDCTL_BACKUP_RECIPIENTS: '' }],
  ['/mnt/backups', { GROUNDCTL_BACKUP_RECIPIENTS: 'age1none' }],
  ['/mnt/backups', { GROUNDCTL_BACKUP_HOUR: '24' }],
  ['/mnt/backups', { GROUNDCTL_BACKUP_KEEP: '0' }],
  ['', {}],
])('%s with %j is refused', (target, more) => {
  expect(() => read(target, more)).toThrow(SettingError);
});
