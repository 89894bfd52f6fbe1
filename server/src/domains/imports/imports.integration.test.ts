import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#shared/kernel/client';
import { limits } from '#shared/limits';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule, seedState } from '../../../test/ledger-rows.ts';
import { stateText } from '../../../test/state-fixture.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

/** Returns status, code and details of a refusal; undefined for a call that succeeds. */
const refusalOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      return { status: error.status, code: error.code, message: error.message, details: error.details };
    },
  );
const encode = (text: string) => new TextEncoder().encode(text);
const canary = 'canary-7f3a91c2';
/** State of one resource, with its own lineage. */
const stateOf = (lineage: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    ...JSON.parse(
      stateText([{ name: 'one', attributes: { id: canary } }], { outputs: { a: { value: 1, type: 'number' } } }),
    ),
    lineage,
    ...more,
  });
const upload = (text: string | Uint8Array<ArrayBuffer>) =>
  server.api.uploadImport({
    params: { workspaceId: server.workspaceId },
    bytes: typeof text === 'string' ? encode(text) : text,
  });

describe('upload of a state', () => {
  it('returns a summary without values, and finds the same bytes again', async () => {
    const text = stateOf('first');
    const first = await upload(text);
    expect(first.status).toBe(201);
    expect(first.body.import).toMatchObject({
      phase: 'uploaded',
      state: {
        lineage: 'first',
        serial: 1,
        toolName: 'tofu',
        toolVersion: '1.12.6',
        resourceCount: 1,
        outputCount: 1,
        sizeBytes: encode(text).length,
        providers: ['registry.opentofu.org/test/test'],
      },
    });
    expect(JSON.stringify(first.body)).not.toContain(canary);
    const again = await upload(text);
    expect([again.status, again.body.import.id]).toEqual([200, first.body.import.id]);
    const { body: listed } = await server.api.listImports({ params: { workspaceId: server.workspaceId } });
    expect(listed.imports.filter(({ id }) => id === first.body.import.id)).toHaveLength(1);
  });

  it('seals the state in the ledger', async () => {
    const { body } = await upload(stateOf('sealed'));
    const row = server.ledger(
      ({ sqlite }) =>
        sqlite.prepare('SELECT state, summary FROM imports WHERE id = ?').get(body.import.id) as {
          state: Buffer;
          summary: string;
        },
    );
    expect(row.state.includes(canary) || row.summary.includes(canary)).toBe(false);
    expect(row.state.length).toBeGreaterThan(0);
  });

  it('recognizes a state of terraform by the registry of its providers', async () => {
    const { body } = await upload(stateOf('terraform').replaceAll('registry.opentofu.org', 'registry.terraform.io'));
    expect(body.import.state.toolName).toBe('terraform');
  });

  const whole = stateOf('damaged');
  it.each([
    [
      'an encrypted state',
      '{"serial":1,"lineage":"x","meta":{},"encrypted_data":"AAAA","encryption_version":"v0"}',
      'import_state_encrypted',
    ],
    ['a state in format 3', stateOf('old', { version: 3 }), 'import_state_version_unsupported'],
    ['a truncated state', whole.slice(0, -20), 'import_state_invalid'],
    ['an empty upload', '', 'import_state_invalid'],
    ['a list', '[]', 'import_state_invalid'],
    ['a state without a lineage', stateOf(''), 'import_state_invalid'],
    ['a state without a serial', stateOf('serial', { serial: -1 }), 'import_state_invalid'],
    ['a resource without a provider', whole.replace(/"provider":"[^,]*",/, ''), 'import_state_invalid'],
    ['bytes that are not UTF-8', Uint8Array.from([0xff, 0xfe, 0x7b]), 'import_state_invalid'],
  ])('refuses %s, and repeats nothing of it', async (_, text, reason) => {
    const refused = await refusalOf(upload(text));
    expect(refused).toMatchObject({ status: 400, code: 'invalid_argument', details: { reason } });
    expect(JSON.stringify(refused)).not.toContain(canary);
  });

  it('refuses more than 64 MiB', async () => {
    const refused = await server.raw({
      method: 'POST',
      path: `/api/v1/workspaces/${server.workspaceId}/imports`,
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(limits.importStateBytes + 1),
    });
    expect(refused.status).toBe(413);
  });

  it('refuses a lineage that a Capsule has, and names the Capsule', async () => {
    const capsule = await seedCapsule(server, { status: 'active' });
    seedState(server, capsule, { generation: 1 });
    const lineage = server.ledger(({ sqlite }) =>
      sqlite.prepare('SELECT lineage FROM state_versions WHERE capsule_id = ?').pluck().get(capsule.id),
    ) as string;
    expect(await refusalOf(upload(stateOf(lineage)))).toMatchObject({
      status: 409,
      details: { reason: 'import_lineage_taken', capsuleId: capsule.id },
    });
  });

  it('is for the local owner and the operator only', async () => {
    const other = await server.join('owner');
    const params = { workspaceId: server.workspaceId };
    expect(await refusalOf(other.api.uploadImport({ params, bytes: encode(stateOf('other')) }))).toMatchObject({
      status: 403,
    });
    const operator = server.as(server.operatorToken);
    const { body } = await operator.uploadImportAsOperator({ params, bytes: encode(stateOf('operator')) });
    expect(body.import.createdBy).toBe('operator');
  });
});

describe('an upload that no Capsule has', () => {
  it('is deleted with its state', async () => {
    const { body } = await upload(stateOf('unused'));
    const params = { importId: body.import.id };
    await server.api.deleteImport({ params });
    expect(await refusalOf(server.api.getImport({ params }))).toMatchObject({ status: 404 });
    const { body: again } = await upload(stateOf('unused'));
    expect(again.import.id).not.toBe(body.import.id);
  });
});
