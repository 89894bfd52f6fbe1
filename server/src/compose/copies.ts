import path from 'node:path';
import { copyFoldersOf, createCopiesService, createCopiesStore, createCopyMaker } from '../domains/copies/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

/** Builds the installable copies. */
export function buildCopies(context: AppContext, base: BaseDomains, records: RecordDomains) {
  const { dataDir } = context.settings;
  const { connections, findTool, sources } = records;
  const { findGitCredential, listModuleRegistries } = connections;
  const cacheDir = path.join(dataDir, 'packages');
  return createCopiesService({
    ...context,
    ...base.shared,
    ...base,
    sources,
    store: createCopiesStore(context.db),
    folders: copyFoldersOf(dataDir),
    maker: createCopyMaker({ ...context, cacheDir, findTool, findGitCredential, listModuleRegistries }),
  });
}
