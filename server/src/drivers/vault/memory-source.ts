import { createStoredSource, type KeySource } from './key-source.ts';

/** Stores master keys in memory, for tests. */
export function createMemorySource(): KeySource {
  let text: string | undefined;
  return createStoredSource({
    kind: 'memory',
    keyLocation: 'memory',
    read: async () => text,
    write: async (next) => {
      text = next;
    },
    alone: (work) => work(),
  });
}
