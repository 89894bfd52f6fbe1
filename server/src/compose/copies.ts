import { type CopyMaker, copyFoldersOf, createCopiesService, createCopiesStore } from '../domains/copies/index.ts';
import type { AppContext } from './app-context.ts';
import type { BaseDomains } from './base.ts';
import type { RecordDomains } from './records.ts';

/** Builds the installable copies. */
export function buildCopies(context: AppContext, base: BaseDomains, { sources }: RecordDomains) {
  return createCopiesService({
    ...context,
    ...base.shared,
    ...base,
    sources,
    store: createCopiesStore(context.db),
    folders: copyFoldersOf(context.settings.dataDir),
    maker: missingMaker,
  });
}

const missingMaker: CopyMaker = {
  isAvailable: false,
  make: () => Promise.reject(new Error('no maker')),
  check: () => Promise.reject(new Error('no maker')),
};
