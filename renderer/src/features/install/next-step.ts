import type { runErrorCodes } from '#shared/errors';
import type { TextId } from '../../i18n/text.ts';

type RunErrorCode = (typeof runErrorCodes)[number];

const nextSteps: Partial<Record<RunErrorCode, TextId>> = {
  source_unreachable: 'install.sync.unreachable',
  source_timed_out: 'install.sync.unreachable',
  source_tls_failed: 'install.sync.tls',
  source_not_git: 'install.sync.notGit',
  source_ref_not_found: 'install.sync.ref',
  source_path_not_found: 'install.sync.path',
  source_empty: 'install.sync.empty',
  source_too_large: 'install.sync.tooLarge',
  source_fetch_refused: 'install.sync.refused',
  tool_unavailable: 'install.sync.tool',
  disk_full: 'install.sync.disk',
};

/** Returns the remedy for a repository that could not be read. */
export function syncNextStep(code: RunErrorCode | undefined, url: string): TextId {
  if (code === 'source_not_git' && url.startsWith('file:')) return 'install.sync.folder';
  return (code && nextSteps[code]) ?? 'install.sync.other';
}
