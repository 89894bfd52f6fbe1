import type { CapsuleRow } from '../src/domains/capsules/store.ts';
import { digestOf } from '../src/kernel/digest.ts';
import { newId } from '../src/kernel/ids.ts';
import { packText } from '../src/kernel/packed.ts';
import { addGeneration, seedApplied } from './backup-fixture.ts';
import type { TestServer } from './harness.ts';
import { openTestVault, stateText } from './state-fixture.ts';

/** Text of a state with resources of these names, in a lineage. */
const lateText = (names: readonly string[], lineage: string): string =>
  stateText(names.map((name) => ({ name, attributes: { id: name, value: 1 } }))).replace(
    '"lineage":"lineage"',
    `"lineage":"${lineage}"`,
  );

type Late = { capsule: CapsuleRow; id: string; runId: string };

/**
 * A Capsule whose second apply was ended with the resource `one`, and the state with `one` and `two` that its machine
 * brought later.
 */
export async function seedLateState(server: TestServer, { lineage = 'lineage' } = {}): Promise<Late> {
  const capsule = await seedApplied(server, { generations: [{ one: 1 }] });
  await addGeneration(server, capsule, { generation: 2, resources: { one: 1 } });
  const runId = server.ledger(
    ({ sqlite }) =>
      sqlite
        .prepare('SELECT created_by_run_id FROM state_versions WHERE capsule_id = ? AND generation = 2')
        .pluck()
        .get(capsule.id) as string,
  );
  return { capsule, runId, id: await addLateState(server, { capsule, runId, lineage }) };
}

/** Stores a late state of an apply, as its machine brings it. Returns its id. */
export async function addLateState(
  server: TestServer,
  { capsule, runId, lineage = 'lineage' }: { capsule: CapsuleRow; runId: string; lineage?: string },
): Promise<string> {
  const id = newId('lateState');
  const text = lateText(['one', 'two'], lineage);
  const { workspaceId, id: capsuleId } = capsule;
  const vault = await openTestVault(server);
  const context = { table: 'late_states', row: id, column: 'state', workspaceId };
  const state = server.ledger(() => vault.seal(context, packText(text)));
  const stateDigest = digestOf(`${id}${text}`);
  server.ledger(({ sqlite }) =>
    sqlite
      .prepare(
        `INSERT INTO late_states (id, workspace_id, capsule_id, run_id, machine_id, serial, resource_count, state_digest, state, arrived_at)
         VALUES (@id, @workspaceId, @capsuleId, @runId, 'rnr_1', 1, 2, @stateDigest, @state, @now)`,
      )
      .run({ id, workspaceId, capsuleId, runId, stateDigest, state, now: Date.now() }),
  );
  return id;
}
