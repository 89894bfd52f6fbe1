import { describe, expect, test } from 'vitest';
import { newId } from '#server/kernel/ids';
import { day, has, hour, put, server, serveSweeps, sweep } from '../../../test/gc-fixture.ts';

serveSweeps();

/** Inserts a copy without revisions, and returns its id. */
function seedCopy(): string {
  const id = newId('copy');
  server.ledger(({ sqlite }) =>
    sqlite
      .prepare(
        `INSERT INTO copies (id, workspace_id, name, upstream_url, upstream_ref, upstream_path, created_by, created_at, updated_at)
         VALUES (?, ?, 'x', 'https://example.com/x', 'HEAD', '.', 'me', 1, 1)`,
      )
      .run(id, server.workspaceId),
  );
  return id;
}

describe('installable copies', () => {
  test('keep their repositories; those that no copy names are removed after a day', async () => {
    const [known, gone] = [seedCopy(), newId('copy')];
    for (const id of [known, gone]) put(`copies/${id}.git/HEAD`);
    put(`copy-work/${newId('copyRevision')}/x`);
    expect((await sweep({ later: hour })).removed).toEqual({});
    expect((await sweep()).removed).toEqual({ copies: 2 });
    expect([has('copies', `${known}.git`), has('copies', `${gone}.git`)]).toEqual([true, false]);
  });

  test('do not keep packages that were fetched long ago', async () => {
    put('packages/shared/archives/old.tar');
    put('packages/shared/records/old.json');
    expect((await sweep({ later: 29 * day })).removed).not.toHaveProperty('modulePackages');
    expect((await sweep({ later: 2 * day })).removed).toMatchObject({ modulePackages: 2 });
  });
});
