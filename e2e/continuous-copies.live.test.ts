import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLedgerFaults } from './faults/invariants.ts';
import { timesOf } from './fixtures/depth.ts';
import { createHttp, type Http } from './fixtures/http.ts';
import { hasLitestream, startReplica } from './fixtures/litestream.ts';
import { createRandom } from './fixtures/random.ts';
import { startServer, type TestServer } from './fixtures/server.ts';

const random = createRandom();
const rounds = timesOf({ quick: 2, deep: 20 });
/** Longest time before a loss of the machine whose changes may be lost, as documented. */
const documentedLossMs = 2_000;

/** A change that the server has confirmed, and when. */
type Confirmed = { slug: string; at: number };

describe.skipIf(!hasLitestream)('a continuous copy of the ledger', () => {
  let server: TestServer;
  let http: Http;
  let workspaceId: string;
  let root: string;
  const losses: { ms: number; changes: number; of: number }[] = [];
  beforeAll(async () => {
    root = mkdtempSync(path.join(os.tmpdir(), 'groundctl-copies-'));
    server = await startServer();
    http = createHttp(server);
    const { body } = await http.get<{ workspaces: { id: string }[] }>('/api/v1/workspaces');
    workspaceId = body.workspaces[0]?.id ?? '';
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(root, { recursive: true, force: true });
    if (losses.length > 0) process.stdout.write(`${JSON.stringify(summaryOf(losses))}\n`);
  });

  /** Makes changes one after another until the server is gone. */
  async function makeChanges(round: number): Promise<Confirmed[]> {
    const confirmed: Confirmed[] = [];
    for (let number = 0; ; number += 1) {
      const slug = `r${round}-${number}`;
      const body = { name: slug, slug };
      const answer = await http.post(`/api/v1/workspaces/${workspaceId}/projects`, body).catch(() => undefined);
      if (answer === undefined) return confirmed;
      expect(answer.status).toBe(201);
      confirmed.push({ slug, at: performance.now() });
    }
  }

  it.for(Array.from({ length: rounds }, (_, at) => at + 1))(
    'loses at most the documented seconds, and no change between two others: round %i',
    { timeout: 120_000 },
    async (round) => {
      const folder = path.join(root, `${round}`);
      const replica = startReplica({ dataDir: server.dataDir, folder });
      await replica.started();
      const changing = makeChanges(round);
      await new Promise((resolve) => setTimeout(resolve, 500 + random.below(2_500)));
      const lostAt = performance.now();
      await Promise.all([server.kill9(), replica.kill9()]);
      const confirmed = await changing;
      const restored = path.join(folder, 'restored');
      expect(replica.restore(restored)).toContain('is marked as restored.');

      const present = slugsIn(restored, round);
      const expected = confirmed.map(({ slug }) => slug);
      expect(present).toEqual([...expected, `r${round}-${expected.length}`].slice(0, present.length));
      const [firstLost] = confirmed.slice(present.length);
      const ms = firstLost === undefined ? 0 : lostAt - firstLost.at;
      losses.push({ ms, changes: Math.max(0, confirmed.length - present.length), of: confirmed.length });
      expect(ms).toBeLessThanOrEqual(documentedLossMs);
      await expectStarts(restored);

      await server.restart();
      expect(slugsIn(server.dataDir, round).slice(0, expected.length)).toEqual(expected);
    },
  );

  /** A server starts paused on the restored folder with the key, and its ledger and trail are whole. */
  async function expectStarts(restored: string): Promise<void> {
    cpSync(path.join(server.dataDir, 'keys'), path.join(restored, 'keys'), { recursive: true });
    const again = await startServer({ dataDir: restored });
    try {
      const restoredHttp = createHttp(again);
      expect((await restoredHttp.get(`/api/v1/workspaces/${workspaceId}`)).status).toBe(200);
      const { body } = await restoredHttp.get<{ installation: { paused: boolean } }>('/api/v1/installation');
      expect(body.installation.paused).toBe(true);
      expect(await findLedgerFaults(restored)).toEqual([]);
    } finally {
      await again.stop();
    }
  }
});

/** Short names of the Projects that a round created, in their order. */
function slugsIn(dataDir: string, round: number): string[] {
  const ledger = new Database(path.join(dataDir, 'ledger.db'), { readonly: true });
  try {
    return ledger
      .prepare('SELECT slug FROM projects WHERE slug LIKE ? ORDER BY rowid')
      .pluck()
      .all(`r${round}-%`) as string[];
  } finally {
    ledger.close();
  }
}

function summaryOf(losses: readonly { ms: number; changes: number; of: number }[]) {
  const sorted = losses.map(({ ms }) => Math.round(ms)).sort((one, other) => one - other);
  const sum = (member: 'changes' | 'of') => losses.reduce((total, loss) => total + loss[member], 0);
  return {
    rounds: losses.length,
    changes: sum('of'),
    lostChanges: sum('changes'),
    medianLossMs: sorted[Math.floor(sorted.length / 2)],
    mostLossMs: sorted.at(-1),
  };
}
