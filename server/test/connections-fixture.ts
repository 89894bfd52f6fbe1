import { afterAll, beforeAll, expect } from 'vitest';
import { heldClock, type RawAnswer, startTestServer, type TestServer } from './harness.ts';

/** The server of this file's tests, from `serveConnections` on. */
export let server: TestServer;
/** The clock of the server. */
export const clock = heldClock();

/** One server for all tests of a file, and helpers that create and read Connections. */
export function serveConnections(): void {
  beforeAll(async () => {
    server = await startTestServer({ clock });
  });
  afterAll(() => server.close());
}

/** Parts of an error response: status, code, reason, field. */
export const refusalOf = ({ status, json }: RawAnswer) => {
  const { code, details } =
    (json as { error?: { code: string; details?: { reason?: string; field?: string } } }).error ?? {};
  return [status, code, details?.reason, details?.field];
};
/** Requests a new Connection, as the owner. */
export const create = (body: unknown) => server.request('POST', '/api/v1/connections', body);
/** Creates a Connection and fails the test on an error. */
export const make = async (body: unknown) => {
  const answer = await create(body);
  expect(answer.status).toBe(201);
  return (answer.json as { connection: { id: string } }).connection;
};
/** The Connections of the owner's Workspace. */
export const list = async () =>
  (await server.api.listConnections({ query: { workspaceId: server.workspaceId } })).body.connections;
