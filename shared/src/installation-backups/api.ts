import { defineApi } from '../kernel/endpoint.ts';
import { CreateInstallationBackup } from './contract.ts';

/** Routes of the operator for the backup of the whole installation. */
export const installationBackupsApi = defineApi({
  createInstallationBackup: {
    method: 'POST',
    base: '/internal/v1',
    path: '/installation-backups',
    summary: 'The whole installation as one encrypted file (operator)',
    class: 'Op',
    longRunning: true,
    idempotency: 'none',
    body: CreateInstallationBackup,
    streams: ['application/octet-stream'],
    replies: {},
    errors: ['conflict', 'feature_unavailable'],
  },
});
