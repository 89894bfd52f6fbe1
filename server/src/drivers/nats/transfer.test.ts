import { expect, it } from 'vitest';
import { type FileReference, partBytes, sealPart } from './file-parts.ts';
import { NatsError } from './nats-error.ts';
import { createRunKey } from './run-box.ts';
import { fetchBytes } from './transfer.ts';

it('stays close to a part that does not arrive, because later ones wait for it in memory', async () => {
  const key = createRunKey();
  const reference: FileReference = { digest: `sha256:${'0'.repeat(64)}`, sizeBytes: 24 * partBytes };
  const plain = Buffer.alloc(partBytes);
  const first = Promise.withResolvers<Uint8Array | undefined>();
  const started: number[] = [];
  const fetched = fetchBytes(reference, {
    store: {
      put: () => Promise.reject(new Error('nothing is sent')),
      find({ part }) {
        started.push(part);
        return part === 0 ? first.promise : Promise.resolve(sealPart(key, reference, { part, plain }));
      },
    },
    key,
    maxBytes: reference.sizeBytes,
    signal: new AbortController().signal,
  });
  await expect.poll(() => started.length).toBeGreaterThanOrEqual(9);
  first.reject(new NatsError('file_missing'));
  await expect(fetched).rejects.toMatchObject({ reason: 'file_missing' });
  expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});
