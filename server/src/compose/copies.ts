import { copyFoldersOf, createCopiesService, createCopiesStore, createCopyMaker } from '../domains/copies/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

/** Builds the installable copies. */
export function buildCopies(context: AppContext, base: BaseDomains, records: RecordDomains) {
  const folders = copyFoldersOf(context.settings.dataDir);
  const { connections, findTool, sources } = records;
  const { findGitCredential, listModuleRegistries } = connections;
  return createCopiesService({
    ...context,
    ...base.shared,
    ...base,
    sources,
    store: createCopiesStore(context.db),
    folders,
    maker: createCopyMaker({
      ...context,
      cacheDir: folders.packages,
      findTool,
      findGitCredential,
      listModuleRegistries,
    }),
  });
}
