import type { RequestRestore } from '#shared/backups/contract';
import type { Json } from '#shared/kernel/json';
import type { CapsuleRow } from '../src/domains/capsules/store.ts';
import type { RawAnswer, TestServer } from './harness.ts';
import { seedCapsule } from './ledger-rows.ts';
import { seedRealState, stateText } from './state-fixture.ts';

type SeedApplied = {
  /** Names of the resources of each generation, with an attribute. */
  generations: readonly Readonly<Record<string, Json>>[];
  status?: CapsuleRow['status'];
  outputs?: Json;
};

/** A Capsule with these states, the last one current, as applies leave it. */
export async function seedApplied(
  server: TestServer,
  { generations, status = 'active', outputs = {} }: SeedApplied,
): Promise<CapsuleRow> {
  const capsule = await seedCapsule(server, { status, runtimeSafety: 'safe' });
  for (const [index, resources] of generations.entries())
    await addGeneration(server, capsule, { generation: index + 1, resources, outputs });
  return capsule;
}

type Generation = { generation: number; resources: Readonly<Record<string, Json>>; outputs?: Json; lineage?: string };

/** Makes a state current, as an apply does. Returns the id of its StateVersion. */
export async function addGeneration(
  server: TestServer,
  capsule: CapsuleRow,
  { generation, resources, outputs = {}, lineage = 'lineage' }: Generation,
): Promise<string> {
  const objects = Object.entries(resources).map(([name, value]) => ({ name, attributes: { id: name, value } }));
  const text = stateText(objects, { outputs }).replace('"lineage":"lineage"', `"lineage":${JSON.stringify(lineage)}`);
  const id = await seedRealState(server, capsule, { generation, text });
  server.ledger(({ sqlite }) => {
    sqlite.prepare('UPDATE outputs SET workspace_outputs = ? WHERE state_version_id = ?').run(shownOf(outputs), id);
    // The apply had the configuration of the Capsule.
    sqlite
      .prepare(`UPDATE runs SET input = json_set(input, '$.installConfigId', ?) WHERE capsule_id = ?`)
      .run(capsule.installConfigId, capsule.id);
  });
  setCapsule(server, capsule.id, { current_state_version_id: id, current_state_generation: generation });
  return id;
}

const shownOf = (outputs: Json): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(outputs as Record<string, { value: Json; sensitive?: boolean }>)
        .filter(([, { sensitive }]) => sensitive !== true)
        .map(([name, { value }]) => [name, value]),
    ),
  );

/** Changes columns of a Capsule that no request changes without a tool. */
export function setCapsule(server: TestServer, id: string, columns: Record<string, string | number | null>): void {
  const names = Object.keys(columns).map((name) => `${name} = @${name}`);
  server.ledger(({ sqlite }) =>
    sqlite.prepare(`UPDATE capsules SET ${names.join(', ')} WHERE id = @id`).run({ ...columns, id }),
  );
}

export const backUp = async (server: TestServer, capsuleId?: string) =>
  capsuleId === undefined
    ? (await server.api.backUpWorkspace({ params: { workspaceId: server.workspaceId } })).body.backup
    : (await server.api.backUpCapsule({ params: { capsuleId } })).body.backup;

/** Requests a restore as the operator does. */
export const requestRestore = (server: TestServer, body: RequestRestore): Promise<RawAnswer> =>
  server.request('POST', `/internal/v1/workspaces/${server.workspaceId}/restores`, body, {
    authorization: `Bearer ${server.operatorToken}`,
  });

/** Requests a restore and approves it. Returns its Run when it has ended. */
export async function restored(server: TestServer, body: RequestRestore) {
  const answer = await requestRestore(server, body);
  const { run } = answer.json as { run: { id: string } };
  if (answer.status !== 201) throw new Error(`the restore was refused: ${answer.text}`);
  await server.api.approveRun({ params: { runId: run.id }, body: {} });
  await server.ended(run.id);
  return (await server.api.getRun({ params: { runId: run.id } })).body.run;
}

/** Status, code and reason of an answer. */
export const refusalIn = ({ status, json }: RawAnswer) => {
  const { code, details } = (json as { error?: { code: string; details?: { reason?: string } } }).error ?? {};
  return [status, code, details?.reason].filter((part) => part !== undefined);
};
