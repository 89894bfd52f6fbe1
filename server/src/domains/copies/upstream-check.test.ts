import { describe, expect, it } from 'vitest';
import { copyUnchanged } from '#shared/copies/contract';
import type { CopyMaker } from './maker.ts';
import type { CopyRow, RevisionRow } from './store.ts';
import { createUpstreamCheck } from './upstream-check.ts';

type CheckRequest = Parameters<CopyMaker['check']>[0];

function startCheck(newest: Partial<RevisionRow>) {
  const requests: CheckRequest[] = [];
  const answer = Promise.withResolvers<{ hasChanged: boolean; upstreamCommit: string; packages: [] }>();
  const check = createUpstreamCheck({
    store: {
      findCopy: () => ({ workspaceId: 'ws', currentRevisionId: 'current' }) as CopyRow,
      findRevision: () => ({ upstreamCommit: 'one' }) as RevisionRow,
      findNewestRevision: () => newest as RevisionRow,
    },
    maker: {
      check: (request) => {
        requests.push(request);
        return answer.promise;
      },
    },
  });
  return { check, requests, finish: () => answer.resolve({ hasChanged: false, upstreamCommit: 'one', packages: [] }) };
}

describe('a look for updates of a copy', () => {
  it('is shared by concurrent requests, and made again after it has ended', async () => {
    const { check, requests, finish } = startCheck({});
    const both = [check('a'), check('a')];
    finish();
    await Promise.all(both);
    expect(requests).toHaveLength(1);
    await check('a');
    expect(requests).toHaveLength(2);
    expect(requests[0]?.signal.aborted).toBe(false);
  });

  it('compares with the commit that an update found to have the content of the copy', async () => {
    const error = { code: copyUnchanged, message: '' };
    const { check, requests, finish } = startCheck({ upstreamCommit: 'two', error });
    finish();
    await check('a');
    expect(requests).toMatchObject([{ upstreamCommit: 'two' }]);
  });

  it('compares with the current revision after another failure', async () => {
    const { check, requests, finish } = startCheck({ upstreamCommit: 'two', error: { code: 'other', message: '' } });
    finish();
    await check('a');
    expect(requests).toMatchObject([{ upstreamCommit: 'one' }]);
  });
});
