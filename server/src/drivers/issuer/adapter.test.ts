import { describe, expect, it } from 'vitest';
import { systemClock } from '#server/kernel/clock';
import { createAdapter } from './adapter.ts';
import type { StoredRecord } from './ports.ts';

/** Creates an adapter of refresh tokens over one stored token. */
function setUp() {
  const rows = new Map<string, StoredRecord & { isConsumed?: boolean }>();
  const endedGrants: string[] = [];
  const adapter = createAdapter('RefreshToken', {
    clock: systemClock,
    findClient: () => undefined,
    isOutage: () => false,
    records: {
      save: (row) => void rows.set(row.id, row),
      find: (_kind, id) => rows.get(id),
      consume(_kind, id) {
        const row = rows.get(id);
        if (!row || row.isConsumed) return false;
        row.isConsumed = true;
        return true;
      },
      remove: (_kind, id) => void rows.delete(id),
      removeGrant: (grantId) => void endedGrants.push(grantId),
    },
  });
  return { adapter, rows, endedGrants };
}

describe('a token that two requests have found unused', () => {
  it('is consumed by the first, and the second is invalid_grant and ends the whole grant', async () => {
    const { adapter, endedGrants } = setUp();
    await adapter.upsert('the token', { jti: 'the token', grantId: 'grant_1' }, 60);
    await adapter.consume('the token');
    expect(endedGrants).toEqual([]);
    await expect(adapter.consume('the token')).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(endedGrants).toEqual(['grant_1']);
  });

  it('is invalid_grant when its record is gone', async () => {
    await expect(setUp().adapter.consume('unknown')).rejects.toMatchObject({ error: 'invalid_grant' });
  });
});

it('stores the hash of a token, never the token', async () => {
  const { adapter, rows } = setUp();
  await adapter.upsert('the token', { jti: 'the token', grantId: 'grant_1' }, 60);
  expect(JSON.stringify([...rows])).not.toContain('the token');
  expect(await adapter.find('the token')).toMatchObject({ jti: 'the token', grantId: 'grant_1' });
});
