import { afterAll, beforeAll, expect, test } from 'vitest';
import { awsBody, canary, genericBody, gitBody } from '../../../test/connection-bodies.ts';
import { filesHolding } from '../../../test/data-files.ts';
import { type RawAnswer, startTestServer, type TestServer } from '../../../test/harness.ts';

let server: TestServer;
const printed: string[] = [];
const write = process.stderr.write.bind(process.stderr);
beforeAll(async () => {
  process.stderr.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
    printed.push(String(chunk));
    return write(chunk, ...rest);
  }) as typeof process.stderr.write;
  server = await startTestServer();
});
afterAll(async () => {
  process.stderr.write = write;
  await server.close();
});

const answers: RawAnswer[] = [];
const request = async (method: string, address: string, body?: unknown, headers?: Record<string, string>) => {
  const answer = await server.request(method, `/api/v1${address}`, body, headers);
  answers.push(answer);
  return answer.json as { connection: { id: string } };
};

/** Returns a secret in the forms in which it could appear: plain, and in the encodings that programs use. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((by) =>
    Buffer.concat([Buffer.alloc(by), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, bytes.toString('hex'), ...shifted, encodeURIComponent(secret)];
};

test('no value of a Connection appears in an answer, a log, the history, or a file of the data folder', async () => {
  const id = server.workspaceId;
  const files = [{ path: 'acme/key.json', content: JSON.stringify({ key: canary('file') }), envName: 'ACME_FILE' }];
  const key = { 'idempotency-key': 'canary' };
  const created = [
    await request('POST', '/connections', awsBody(id), key),
    await request('POST', '/connections', awsBody(id), key),
    await request('POST', '/connections', genericBody(id, { files })),
    await request('POST', '/connections', gitBody(id)),
  ];
  await request('POST', '/connections', awsBody(id, { displayName: canary('key') }));
  await request('POST', '/connections', { ...awsBody(id), color: canary('key') });
  await request(
    'POST',
    '/connections',
    genericBody(id, { values: { ACME_TOKEN: canary('acme'), 'A B': canary('acme') } }),
  );
  for (const { connection } of created) {
    await request('POST', `/connections/${connection.id}/test`);
    await request('GET', `/connections/${connection.id}/uses`);
  }
  await request('GET', `/connections?workspaceId=${id}`);
  await request('GET', `/provider-connections?workspaceId=${id}`);
  await request('GET', `/workspaces/${id}/activity`);
  const rows = () =>
    server.ledger((db) =>
      (db.sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[])
        .filter((name) => !name.startsWith('sqlite_'))
        .map((name) => JSON.stringify(db.sqlite.prepare(`SELECT * FROM "${name}"`).all())),
    );
  const secrets = ['id', 'key', 'acme', 'file', 'git'].map(canary).flatMap(formsOf);
  const find = (texts: string[]) => secrets.filter((secret) => texts.some((text) => text.includes(secret)));
  expect(find(answers.map(({ text, headers }) => text + JSON.stringify(headers)))).toEqual([]);
  expect(find(rows())).toEqual([]);
  expect(find(printed)).toEqual([]);
  const inFiles = () => filesHolding(server.dataDir, ...secrets);
  expect(inFiles()).toEqual([]);
  for (const { connection } of created) await request('POST', `/connections/${connection.id}/revoke`);
  expect(inFiles()).toEqual([]);
  expect(server.ledger((db) => db.sqlite.prepare('SELECT count(*) FROM connection_materials').pluck().get())).toBe(0);
});

test('erased values are in no file any more, not even sealed', async () => {
  const { connection } = await request('POST', '/connections', awsBody(server.workspaceId));
  const sealed = server.ledger((db) =>
    db.sqlite.prepare('SELECT sealed FROM connection_materials WHERE connection_id = ?').pluck().all(connection.id),
  ) as Buffer[];
  expect(sealed).toHaveLength(2);
  await request('POST', `/connections/${connection.id}/revoke`);
  for (const bytes of sealed) expect(filesHolding(server.dataDir, bytes)).toEqual([]);
});
