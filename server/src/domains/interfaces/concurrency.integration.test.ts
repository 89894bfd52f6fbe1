import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../../test/harness.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';

const requests = 1_000;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const uri = 'https://claimed.example/';
const bodyOf = (name: string, ownerRef: { kind: string; id: string }) => ({
  workspaceId: server.workspaceId,
  name,
  ownerRef,
  spec: {
    type: 'mcp.server',
    version: '2025-11-25',
    document: {},
    inputs: { endpoint: { source: 'literal', value: uri } },
    access: { visibility: 'workspace', resourceUriInput: 'endpoint' },
  },
});
const countOf = (answers: readonly { status: number }[]) =>
  Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, list]) => [status, list.length]));

/** More connections at once than the queue of a listening socket holds would be reset by the system. */
const connections = 200;
async function concurrently<T>(request: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < requests; index = next++) answers[index] = await request(index);
  };
  await Promise.all(Array.from({ length: connections }, work));
  return answers;
}

it('exactly one of 1,000 concurrent creations of one name wins', async () => {
  const owner = { kind: 'Workspace', id: server.workspaceId };
  const answers = await concurrently(() => server.request('POST', '/api/v1/interfaces', bodyOf('one', owner)));
  expect(countOf(answers)).toEqual({ 201: 1, 409: requests - 1 });
  const { interfaces } = (await server.api.listInterfaces({ query: { workspaceId: server.workspaceId } })).body;
  expect(interfaces.map(({ name }) => name)).toEqual(['one']);
});

it('exactly one of 10 owners of 1,000 concurrent Interfaces with one URI holds the claim', async () => {
  const owners: string[] = [];
  for (let index = 0; index < 10; index += 1) owners.push((await seedCapsule(server, { status: 'active' })).id);
  const ownerOf = (index: number) => ({ kind: 'Capsule', id: owners[index % owners.length] ?? '' });
  const first = await server.api.listInterfaces({ query: { workspaceId: server.workspaceId } });
  for (const { id } of first.body.interfaces)
    await server.api.retireInterface({ params: { interfaceId: id } }, { 'if-match': '*' });
  const answers = await concurrently((index) =>
    server.request('POST', '/api/v1/interfaces', bodyOf(`claim-${index}`, ownerOf(index))),
  );
  expect(countOf(answers)).toEqual({ 201: requests });
  const holders = () =>
    server.ledger(({ sqlite }) =>
      sqlite.prepare('SELECT owner_id FROM resource_claims WHERE uri = ?').pluck().all(uri),
    );
  const [holder, ...others] = holders();
  expect(others).toEqual([]);
  expect(owners).toContain(holder);
  // The next claimant takes it when every Interface of the holder is retired, and not before.
  const own = answers.map(({ json }) => json as { id: string; ownerRef: { id: string } });
  const ofHolder = own.filter(({ ownerRef }) => ownerRef.id === holder);
  for (const { id } of ofHolder) {
    expect(holders()).toEqual([holder]);
    await server.api.retireInterface({ params: { interfaceId: id } }, { 'if-match': '*' });
  }
  const [next, ...more] = holders();
  expect(more).toEqual([]);
  expect(owners.filter((id) => id !== holder)).toContain(next);
});
