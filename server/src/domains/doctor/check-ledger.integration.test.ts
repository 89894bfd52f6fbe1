import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  at,
  open,
  recordRunActivity,
  runDoctorChecks,
  said,
  serveEach,
  server,
  sql,
  withoutServer,
} from '../../../test/doctor-fixture.ts';
import { seedCapsule, seedRun } from '../../../test/ledger-rows.ts';
import { noLedger } from '../../kernel/ledger-file.ts';
import { examine } from './index.ts';

describe('the ledger', () => {
  serveEach();

  test('that is missing or not a ledger is reported, and the remaining checks run as far as possible', async () => {
    await withoutServer(async () => {
      fs.writeFileSync(
        at('ledger.db'),
        'this text is not a ledger, and long enough to be read by a program'.repeat(50),
      );
      expect(await said()).toEqual([['ledger', 'problem', undefined]]);
      fs.rmSync(at('ledger.db'));
      const reports = await runDoctorChecks();
      expect(reports.filter(({ outcome }) => outcome === 'skipped').length).toBeGreaterThan(5);
      expect(reports.find(({ name }) => name === 'ledger')?.findings[0]?.message).toBe(noLedger);
    });
  });

  test('with damaged pages or orphaned rows is reported', async () => {
    sql('PRAGMA foreign_keys = OFF');
    const { sourceId } = await seedCapsule(server);
    sql('DELETE FROM sources WHERE id = ?', sourceId);
    expect(await said()).toEqual([['ledger', 'problem', undefined]]);
    await withoutServer(async () => {
      const file = fs.openSync(at('ledger.db'), 'r+');
      const pages = Math.floor(fs.fstatSync(file).size / 4_096);
      for (let page = 2; page < pages; page += 1) fs.writeSync(file, Buffer.alloc(2_000, 7), 0, 2_000, page * 4_096);
      fs.closeSync(file);
      expect((await said()).filter(([name]) => name === 'ledger').length).toBeGreaterThan(0);
    });
  });

  test('of another version is not changed', async () => {
    await withoutServer(async () => {
      const { examination, close } = await open();
      for (const pending of [1, -1]) {
        const { gc: _, vault: __, ...rest } = examination;
        const reports = await examine({ ...rest, pendingMigrations: pending });
        const levels = reports.flatMap(({ name, findings }) => findings.map(({ level }) => [name, level]));
        expect(levels).toEqual([['migrations', pending > 0 ? 'note' : 'problem']]);
      }
      close();
    });
  });

  test('whose trail was cut or altered, or names fewer Runs than exist, is reported', async () => {
    sql('DROP TRIGGER audit_events_no_update');
    sql('DROP TRIGGER audit_events_no_delete');
    sql('SAVEPOINT before');
    sql("UPDATE audit_events SET action = 'x' WHERE seq = 2");
    sql('RELEASE before');
    expect(await said()).toEqual([['trail', 'problem', 'row 2']]);
  });

  test('that was reset to an older trail with its own head is detected by the Runs missing from it', async () => {
    const capsule = await seedCapsule(server);
    sql('DROP TRIGGER audit_events_no_delete');
    const [seq, hash, mac] = server.ledger(
      ({ sqlite }) => sqlite.prepare('SELECT seq, hash, mac FROM audit_head').raw().get() as [number, string, string],
    );
    const run = seedRun(server, { capsuleId: capsule.id, moves: ['cancel'] });
    await recordRunActivity();
    expect(await said()).toEqual([]);
    sql('DELETE FROM audit_events WHERE seq > ?', seq);
    sql('UPDATE audit_head SET seq = ?, hash = ?, mac = ?', seq, hash, mac);
    expect(await said()).toEqual([['trail', 'problem', run.id]]);
  });
});
