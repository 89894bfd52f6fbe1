import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { at, clock, day, hour, put, server, serveSweeps, sweep } from '../../../test/gc-fixture.ts';
import { seedCapsule, seedRun } from '../../../test/ledger-rows.ts';

serveSweeps();

describe('folders of Capsules', () => {
  test('that were destroyed lose everything but the state at once, and the state later', async () => {
    const updatedAt = clock.now();
    const live = await seedCapsule(server);
    const gone = await seedCapsule(server, { status: 'destroyed', updatedAt });
    for (const { id } of [live, gone])
      for (const name of ['tree/main.tf', 'data/x', 'home/y', 'tmp/z', 'state/terraform.tfstate', 'init.json'])
        put(`capsules/${id}/${name}`);
    put('capsules/cap_unknown/tree/main.tf');
    expect((await sweep({ later: hour - 1 })).removed).toEqual({});
    expect((await sweep({ later: 1 })).removed).toEqual({ capsuleFolders: 1 });
    expect(fs.readdirSync(at('capsules', gone.id))).toEqual(['state']);
    expect((await sweep({ later: day })).removed).toEqual({ capsuleFolders: 1 });
    expect(fs.readdirSync(at('capsules')).sort()).toEqual([gone.id, live.id].sort());
    expect((await sweep({ later: 30 * day })).removed).toEqual({ capsuleFolders: 1 });
    expect(fs.readdirSync(at('capsules'))).toEqual([live.id]);
    expect(fs.readdirSync(at('capsules', live.id)).length).toBe(6);
  });

  test('that a process uses are kept', async () => {
    const { id } = await seedCapsule(server, { status: 'destroyed' });
    put(`capsules/${id}/tree/main.tf`);
    const run = seedRun(server, { capsuleId: id });
    expect((await sweep()).removed).toEqual({});
    server.ledger((db) => db.sqlite.prepare("UPDATE runs SET status = 'cancelled' WHERE id = ?").run(run.id));
    expect((await sweep()).removed).toEqual({ capsuleFolders: 1 });
  });
});
