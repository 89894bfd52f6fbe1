import type { Json } from '#shared/kernel/json';
import type { PlanResource } from '#shared/plans/document';
import { viewKeys } from '../src/compose/key-host.ts';
import type { CapsuleRow } from '../src/domains/capsules/store.ts';
import { createStateResourcesStore } from '../src/domains/state-resources/store.ts';
import { packJson } from '../src/domains/state-resources/stored.ts';
import { readState } from '../src/drivers/tofu/index.ts';
import type { Vault } from '../src/drivers/vault/index.ts';
import { digestOf } from '../src/kernel/digest.ts';
import { packText } from '../src/kernel/packed.ts';
import { type TestServer, testKeyFile } from './harness.ts';
import { seedPlan, seedRun, seedState } from './ledger-rows.ts';

type Path = readonly (string | number)[];
type TestObject = {
  type?: string;
  name: string;
  mode?: 'managed' | 'data';
  module?: string;
  key?: string | number;
  attributes?: Json;
  /** Marked paths; a number is the index of a list. */
  sensitive?: readonly Path[];
  private?: string;
  deposed?: string;
};

const stepOf = (step: string | number): Json =>
  typeof step === 'string'
    ? { type: 'get_attr', value: step }
    : { type: 'index', value: { value: step, type: 'number' } };

/** Text of a state with these objects, in format 4. */
export const stateText = (
  objects: readonly TestObject[],
  more: { outputs?: Json; check_results?: Json } = {},
): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.12.6',
    serial: 1,
    lineage: 'lineage',
    outputs: {},
    ...more,
    resources: objects.map(({ type = 'test_thing', name, mode = 'managed', module, key, deposed, ...one }) => ({
      ...(module !== undefined && { module }),
      mode,
      type,
      name,
      provider: 'provider["registry.opentofu.org/test/test"]',
      instances: [
        {
          schema_version: 0,
          ...(key !== undefined && { index_key: key }),
          ...(deposed !== undefined && { deposed }),
          attributes: one.attributes ?? { id: name },
          sensitive_attributes: (one.sensitive ?? []).map((path) => path.map(stepOf)),
          ...(one.private !== undefined && { private: one.private }),
        },
      ],
    })),
  });

type SeedOptions = {
  generation: number;
  text: string;
  secrets?: readonly string[];
  /** Changes of the plan that was applied. */
  planned?: readonly Partial<PlanResource>[];
  /** As an earlier version stored it: not compressed, and without a projection. */
  isOld?: boolean;
};

/** The vault of a test server, for sealing what it opens. */
export const openTestVault = (server: TestServer): Promise<Vault> =>
  server.ledger((db) =>
    viewKeys(db, {
      dataDir: server.dataDir,
      keySource: undefined,
      keyFile: testKeyFile(server.dataDir),
      passphraseFile: undefined,
    }),
  );

/** Commits a state as an apply does, except for its projection: the server makes that at its next start. */
export async function seedRealState(
  server: TestServer,
  capsule: CapsuleRow,
  { generation, text, secrets = [], planned = [], isOld = false }: SeedOptions,
): Promise<string> {
  const { workspaceId, id: capsuleId } = capsule;
  const plan = seedPlan(server, capsule, { document: { resources: planned as PlanResource[] } });
  const facts = { ref: 'main', resolvedCommit: 'c'.repeat(40) };
  const apply = seedRun(server, { type: 'apply', capsuleId, planRunId: plan.id, facts, moves: ['claim', 'finish'] });
  const id = seedState(server, capsule, { generation });
  const vault = await openTestVault(server);
  const contextOf = (table: string, column: string) => ({ table, row: id, column, workspaceId });
  server.ledger((db) => {
    const state = vault.seal(contextOf('state_versions', 'state'), isOld ? Buffer.from(text) : packText(text));
    const { resourceCount, lineage, serial } = readState(text);
    db.sqlite
      .prepare(
        `UPDATE state_versions SET state = ?, state_digest = ?, created_by_run_id = ?, resource_count = ?, lineage = ?,
         serial = ? WHERE id = ?`,
      )
      .run(state, digestOf(text), apply.id, resourceCount, lineage, serial, id);
    if (isOld) return;
    const scope = { stateVersionId: id, workspaceId, capsuleId, generation };
    const sealed = vault.seal(contextOf('state_projections', 'secrets'), packJson(secrets));
    const counts = { resourceCount: 0, failedChecks: null, pageCount: 0 };
    createStateResourcesStore(db).insertProjection({
      ...scope,
      ...counts,
      status: 'pending',
      secrets: sealed,
      head: null,
    });
  });
  return id;
}
