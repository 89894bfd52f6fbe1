import type { Mount } from '#server/kernel/http/index';
import { installationBackupsApi } from '#shared/installation-backups/api';
import type { InstallationBackups } from './service.ts';

export const installationBackupsRoutes = (mount: Mount, backups: Pick<InstallationBackups, 'create'>): void =>
  mount(installationBackupsApi, {
    createInstallationBackup: async ({ body }) => ({
      bytes: {
        contentType: 'application/octet-stream',
        name: 'groundctl-backup.age',
        chunks: await backups.create(body),
      },
    }),
  });
