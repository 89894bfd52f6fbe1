import { createStoredSource, type KeySource } from './key-source.ts';

/** Keeps master keys in memory, for tests: they are gone with it. */
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
