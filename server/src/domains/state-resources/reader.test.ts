import { expect, it } from 'vitest';
import type { WorkerAnswer } from './projection-worker.ts';
import { createStateReader } from './reader.ts';
import { createSealing } from './sealing.ts';

const none = () => undefined;
const sealed = () => {
  throw new Error('Nothing is stored.');
};

/** A reader of states without a projection, and the requests that it sends. */
function createReader(answer: WorkerAnswer | 'stopped') {
  const requests: string[] = [];
  const open = createStateReader({
    vault: { installationKey: () => 'k' },
    store: { findProjection: none, findPage: none, findLateMarks: none },
    sealing: createSealing({ seal: sealed, open: sealed }),
    link: {
      async request({ kind }) {
        requests.push(kind);
        return answer;
      },
      close: async () => undefined,
    },
    states: { openPacked: () => Buffer.from('{}') },
  });
  return { open, requests };
}

it('does not read a state again whose addresses could not be read', async () => {
  const { open, requests } = createReader({ failure: 'worker' });
  for (const id of ['a', 'b', 'a', 'b']) expect((await open({ id })).head.index).toEqual([]);
  expect(requests).toHaveLength(2);
});

it('reads a state again after the server stopped in between', async () => {
  const { open, requests } = createReader('stopped');
  for (const id of ['a', 'a']) await open({ id });
  expect(requests).toHaveLength(2);
});
