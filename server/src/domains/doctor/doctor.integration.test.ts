import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  at,
  clock,
  machine,
  minute,
  put,
  runDoctorChecks,
  said,
  serveGroup,
  server,
  soundMachine,
  sql,
  withoutServer,
} from '../../../test/doctor-fixture.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { digestOf } from '../../kernel/digest.ts';

describe('a valid data folder', () => {
  serveGroup();

  test('has no findings, with or without a server, and is not changed', async () => {
    await seedCapsule(server);
    const reports = await runDoctorChecks();
    expect(reports.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
    expect(reports.length).toBeGreaterThanOrEqual(17);
    await withoutServer(async () => {
      const before = contentOf(server.dataDir);
      expect(await said()).toEqual([]);
      expect(contentOf(server.dataDir)).toEqual(before);
    });
  });
});

const contentOf = (dir: string): [string, number, string][] =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => [file, fs.statSync(file).mtimeMs, digestOf(fs.readFileSync(file))]);

describe('the folder and its server', () => {
  serveGroup();

  test('files that others may read are reported', async () => {
    fs.chmodSync(server.dataDir, 0o755);
    fs.chmodSync(at('operator-token'), 0o640);
    expect(await said()).toEqual([
      ['folder', 'problem', server.dataDir],
      ['folder', 'problem', at('operator-token')],
    ]);
    fs.chmodSync(server.dataDir, 0o700);
    fs.chmodSync(at('operator-token'), 0o600);
  });

  test('files of a killed server are a note, and a server that does not answer is a problem', async () => {
    await withoutServer(async () => {
      put('runtime.json', '{"pid":1,"url":"http://127.0.0.1:1","startedAt":"","version":""}');
      fs.chmodSync(at('runtime.json'), 0o600);
      expect(await said()).toEqual([['server', 'note', at('runtime.json')]]);
    });
    const runtime = fs.readFileSync(at('runtime.json'), 'utf8');
    fs.writeFileSync(at('runtime.json'), runtime.replace(/:\d+"/, ':1"'));
    expect(await said()).toEqual([['server', 'problem', undefined]]);
    fs.writeFileSync(at('runtime.json'), runtime);
  });

  test('a disk that is nearly full, a machine without tool or sandbox, and a clock that was set back are reported', async () => {
    Object.assign(machine, {
      findTool: async () => undefined,
      probe: async () => ({ sandbox: 'none', network: 'shared' }),
      freeBytes: () => 1e6,
      shortfall: () => 'No control group can be created here.',
    });
    clock.advance(-6 * minute);
    expect(await said()).toEqual([
      ['disk', 'problem', server.dataDir],
      ['clock', 'problem', undefined],
      ['machine', 'problem', undefined],
      ['machine', 'note', undefined],
      ['machine', 'note', undefined],
    ]);
    machine.shortfall = () => undefined;
    machine.probe = async () => ({ sandbox: 'bwrap', network: 'shared' });
    machine.freeBytes = () => 1e9;
    clock.advance(6 * minute);
    expect((await said()).map(([name, level]) => `${name} ${level}`)).toEqual([
      'disk note',
      'machine problem',
      'machine note',
    ]);
    machine.platform = 'win32';
    expect((await said()).map(([name, level]) => `${name} ${level}`)).toEqual([
      'folder note',
      'disk note',
      'machine problem',
      'machine problem',
      'machine note',
    ]);
  });

  test('a missing tool is a note for a server whose pools have machines', async () => {
    Object.assign(machine, soundMachine, { findTool: async () => undefined });
    expect(await said()).toEqual([['machine', 'problem', undefined]]);
    sql("INSERT INTO runner_pools (id, name, created_at, created_by) VALUES ('pool_1', 'Office', 0, 'operator')");
    sql(
      `INSERT INTO runner_machines (id, pool_id, state, public_key, seal_key, facts, enrolled_at)
       VALUES ('rnr_1', 'pool_1', 'active', 'public', 'seal', '{}', 0)`,
    );
    expect(await said()).toEqual([['machine', 'note', undefined]]);
  });
});
