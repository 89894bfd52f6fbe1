import { writeFact } from '../src/kernel/installation.ts';
import type { TestClient, TestServer } from './harness.ts';

/** Marks the ledger as a restore does; the next start is the first one of a restored installation. */
export function markRestored(server: TestServer, restoredAt = '2030-01-02T00:00:00.000Z'): void {
  const fact = { restoredAt, backupCreatedAt: '2030-01-01T00:00:00.000Z', ledgerSequence: 42 };
  server.ledger((db) => writeFact(db, 'restored', fact));
}

/** Calls as the owner, with a session that was issued after the restore. */
export async function signInAgain(server: TestServer): Promise<TestClient> {
  const { session } = (await server.as(server.operatorToken).issueSession({ body: {} })).body;
  return server.as(session.token);
}

/** Restarts a server as the first start after a restore. */
export async function restartRestored(server: TestServer): Promise<TestClient> {
  markRestored(server);
  await server.restart();
  return signInAgain(server);
}
