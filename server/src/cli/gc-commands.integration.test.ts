import fs from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { groundctl } from '../../test/command-line.ts';
import { writeFakeTool } from '../../test/fake-tool.ts';
import { startTestServer, type TestServer, tempDir, testKeyFile } from '../../test/harness.ts';
import { noLedgerMessage } from '../kernel/ledger-file.ts';
import type { DoctorReport } from './doctor.ts';

let server: TestServer;
const toolDir = tempDir();
beforeAll(async () => {
  server = await startTestServer();
  vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
  vi.stubEnv('GROUNDCTL_TOOL_PATH', writeFakeTool(toolDir));
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  fs.rmSync(toolDir, { recursive: true });
});

const here = () => ['--data-dir', server.dataDir];
const sql = (statement: string) => server.ledger(({ sqlite }) => sqlite.exec(statement));

test('audit verify proves the trail of a running server and says how far it reaches', async () => {
  const { code, out } = await groundctl('audit', 'verify', ...here());
  expect(code).toBe(0);
  expect(out).toMatch(
    /^\d+ rows checked\nnewest of them: row \d+ of \d{4}-\S+Z, [0-9a-f]{64}\nThe trail is whole\.\n$/,
  );
  const json = JSON.parse((await groundctl('audit', 'verify', '--json', ...here())).out) as object;
  expect(json).toEqual({
    rows: expect.any(Number),
    head: { seq: expect.any(Number), hash: expect.any(String), at: expect.any(Number) },
    untoldRuns: [],
  });
});

test('doctor says that everything is in order, in words and in JSON', async () => {
  const { code, out } = await groundctl('doctor', ...here());
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /served at http:\/\/127\.0\.0\.1:\d+\n[\s\S]*\d+ checks, \d+ in order: 0 problems, \d+ notes\n$/,
    ),
  ]);
  const report = JSON.parse((await groundctl('doctor', '--json', ...here())).out) as DoctorReport;
  expect(report).toMatchObject({ dataDir: server.dataDir, server: { isRunning: true, pid: process.pid } });
  expect(report.checks.filter(({ outcome }) => outcome !== 'ok' && outcome !== 'note')).toEqual([]);
});

test('a missing data folder, and one without a ledger, give a readable error', async () => {
  const missing = await groundctl('audit', 'verify', '--data-dir', '/nowhere/at/all');
  expect(missing).toMatchObject({ code: 1, err: 'There is no data folder at /nowhere/at/all.\n' });
  const empty = tempDir();
  expect(await groundctl('audit', 'verify', '--data-dir', empty)).toMatchObject({
    code: 1,
    err: `${noLedgerMessage}\n`,
  });
  expect((await groundctl('doctor', '--data-dir', empty)).code).toBe(1);
  expect(fs.readdirSync(empty)).toEqual([]);
  fs.rmSync(empty, { recursive: true });
});

test('the trail is not reported as intact without its key', async () => {
  vi.stubEnv('GROUNDCTL_KEY_FILE', `${toolDir}/no.key`);
  const { code, out, err } = await groundctl('audit', 'verify', ...here());
  vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^The trail cannot be proven without its key\. \S.*\n$/);
});

test('an altered trail reports its first broken row, and doctor shows the remedy', async () => {
  sql('DROP TRIGGER audit_events_no_update');
  sql("UPDATE audit_events SET action = 'harmless' WHERE seq = 2");
  const { code, out } = await groundctl('audit', 'verify', ...here());
  expect([code, out]).toEqual([
    1,
    expect.stringContaining('BROKEN at row 2: Row 2 was altered after it was written.\n'),
  ]);
  const doctor = await groundctl('doctor', ...here());
  expect(doctor.code).toBe(1);
  expect(doctor.out).toMatch(/^problem {2}trail {2}row 2\n {9}Row 2 was altered .*\n {9}Copy the folder/m);
});
