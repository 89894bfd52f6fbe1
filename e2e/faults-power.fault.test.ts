import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findLedgerFaults } from './faults/invariants.ts';
import {
  type Cut,
  chooseMoments,
  cutAt,
  findFaults,
  type RemoteObject,
  settleAll,
  worldOf,
  writeWorld,
} from './faults/power-cut.ts';
import { moduleOf, playFirstHour } from './faults/scenario.ts';
import { buildShim, missing, type Shim } from './faults/shim.ts';
import { createTrace, type Entry } from './faults/trace.ts';
import { depth } from './fixtures/depth.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { createHttp } from './fixtures/http.ts';
import { killLeftovers } from './fixtures/leftovers.ts';
import { makeMirror } from './fixtures/mirror.ts';
import { effects } from './fixtures/provider/index.ts';
import { createRandom } from './fixtures/random.ts';
import { startServer, type TestServer } from './fixtures/server.ts';
import { findTool } from './fixtures/tool.ts';

/** Power cuts after which a server is started, and those after which only the ledger is read. */
const cuts = depth({ quick: 2, deep: 120 });
const ledgerCuts = depth({ quick: 40, deep: 1_000 });
const random = createRandom();

describe.skipIf(missing !== undefined)('a machine that loses its power', () => {
  let shim: Shim;
  let harness: Harness;
  let mirror = '';
  let trace: Entry[] = [];
  let world: { capsuleId: string; created: RemoteObject[] };

  beforeAll(async () => {
    shim = buildShim();
    mirror = mkdtempSync(path.join(os.tmpdir(), 'groundctl-mirror-'));
    await makeMirror(mirror, findTool());
    const root = path.join(shim.folder, 'disk');
    const dataDir = path.join(root, 'data');
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const recorder = createTrace(path.join(shim.folder, 'trace'));
    const faults = shim.environment({ root, trace: recorder.file });
    harness = await startHarness({ dataDir, env: { ...faults, GROUNDCTL_PROVIDER_MIRROR: mirror } });
    const repository = harness.repository('first', { 'main.tf': moduleOf() });
    const { capsuleId } = await playFirstHour(harness, repository, recorder.mark);
    await harness.server.kill9();
    killLeftovers(root);
    recorder.close();
    trace = recorder.read();
    world = { capsuleId, created: worldOf(path.join(dataDir, 'capsules', capsuleId, 'tree', 'world')) };
  });
  afterAll(async () => {
    await harness?.stop();
    shim?.remove();
    rmSync(mirror, { recursive: true, force: true });
  });

  const describeCut = ({ at, loss }: Cut): string =>
    `GROUNDCTL_TEST_SEED=${random.seed}, after change ${at} of ${trace.length} (${loss.names} names, ${loss.data} data)`;

  /** Starts a server on the disk, in another boot, and returns the problems found once its Runs have ended. */
  async function playCut(cut: Cut): Promise<string[]> {
    const created = world.created.filter(({ time }) => time <= cut.time);
    if (created.length > 0) writeWorld(cut.dataDir, world.capsuleId, created);
    const faults = shim.environment({ root: cut.root, bootId: `after-${cut.at}` });
    let server: TestServer | undefined;
    try {
      server = await startServer({ dataDir: cut.dataDir, env: { ...faults, GROUNDCTL_PROVIDER_MIRROR: mirror } });
      const restarted = { server, http: createHttp(server) };
      const { body } = await restarted.http.get<{ workspaces: { id: string }[] }>('/api/v1/workspaces');
      const stuck = await settleAll(restarted, body.workspaces[0]?.id ?? '');
      const listCreated = (capsuleId: string) =>
        namesIn(path.join(cut.dataDir, 'capsules', capsuleId, 'tree', 'world'));
      return [...stuck, ...(await findFaults(restarted, { facts: cut.facts, listCreated }))];
    } catch (error) {
      return [`${error instanceof Error ? error.message : error}`, server?.log().slice(-2_000) ?? ''];
    } finally {
      await server?.stop();
      killLeftovers(cut.root);
    }
  }

  it(`${cuts} times restarts with all reported facts, and every Run ends`, {
    timeout: 60_000 + cuts * 60_000,
  }, async () => {
    const faults: string[] = [];
    await cutAt(
      trace,
      chooseMoments(trace, cuts, random),
      { folder: path.join(shim.folder, 'cuts'), random },
      async (cut) => {
        const problems = await playCut(cut);
        if (problems.length > 0) faults.push(`${describeCut(cut)}: ${problems.join('\n')}`);
      },
    );
    expect(faults).toEqual([]);
  });

  it(`${ledgerCuts} times has an intact ledger`, { timeout: 60_000 + ledgerCuts * 1_000 }, async () => {
    const faults: string[] = [];
    const only = (name: string) => /^(data\/ledger\.db(-wal)?|.*keys\/.*)$/.test(name);
    const started = trace.findIndex((entry) => entry.kind === 'mark');
    const moments = chooseMoments(trace, ledgerCuts, random).filter((moment) => moment > started);
    await cutAt(trace, moments, { folder: path.join(shim.folder, 'ledgers'), random, only }, async (cut) => {
      const problems = await findLedgerFaults(cut.dataDir);
      if (problems.length > 0) faults.push(`${describeCut(cut)}: ${problems.join('\n')}`);
    });
    expect(faults).toEqual([]);
  });
});

function namesIn(folder: string): string[] {
  try {
    return effects(folder).map(({ op, name }) => (op === 'create' ? name : `${op} ${name}`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
