import type { EndpointName } from '../api/client.ts';
import type { TextId } from '../i18n/text.ts';

type SettingsSection = {
  page: '/settings' | '/workspace' | '/account';
  title: TextId;
  /** Call without which the section is not shown. */
  needs?: EndpointName;
  /** True for a section that only the owner of the installation has. */
  isLocalOwners?: true;
};

/** Sections of the pages of settings, by the fragment of their address. */
export const settingsSections = {
  appearance: { page: '/settings', title: 'settings.appearance' },
  keyboard: { page: '/settings', title: 'settings.keyboard' },
  server: { page: '/settings', title: 'server.title' },
  key: { page: '/settings', title: 'vault.where', isLocalOwners: true },
  'change-key': { page: '/settings', title: 'vault.change', isLocalOwners: true },
  'recovery-kit': { page: '/settings', title: 'kit.title', isLocalOwners: true },
  rotation: { page: '/settings', title: 'vault.rotate', isLocalOwners: true },
  about: { page: '/workspace', title: 'workspace.facts' },
  policy: { page: '/workspace', title: 'workspace.policy' },
  projects: { page: '/workspace', title: 'workspace.projects' },
  archive: { page: '/workspace', title: 'workspace.archive', needs: 'updateWorkspace' },
  delete: { page: '/workspace', title: 'workspace.delete', needs: 'previewWorkspaceDeletion' },
  sessions: { page: '/account', title: 'account.sessions' },
  password: { page: '/account', title: 'account.password' },
} as const satisfies Record<string, SettingsSection>;
export type SettingsSectionId = keyof typeof settingsSections;

/** Every section, with the id that links to it. */
export const listedSections: readonly (SettingsSection & { id: string })[] = Object.entries(settingsSections).map(
  ([id, section]) => ({ id, ...section }),
);
