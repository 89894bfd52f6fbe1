import { afterEach, expect, test, vi } from 'vitest';
import { api, OfflineError } from './client.ts';

afterEach(() => vi.unstubAllGlobals());

test.each([
  ['no answer', () => Promise.reject(new TypeError('Failed to fetch'))],
  [
    'an answer that is cut off',
    async () =>
      new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError('network error')) })),
  ],
])('%s counts as a lost connection, so that the request may be sent again', async (_what, fetch) => {
  vi.stubGlobal('fetch', fetch);
  await expect(api.listWorkspaces({})).rejects.toBeInstanceOf(OfflineError);
});
