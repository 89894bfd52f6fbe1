import type { Connection } from '#shared/connections/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord, keys, queryClient } from '../../api/queries.ts';
import type { Sent } from './draft.ts';

/** Saves the form as a Connection and tests it at once, so that a mistake is shown where it was made. */
export function useNewConnection() {
  return useIntent(async (keyOf, { body }: Sent): Promise<Connection> => {
    const { connection } = (await api.createConnection({ body }, keyOf('create'))).body;
    await tryOut(connection.id);
    invalidateRecord({ kind: 'connection', id: connection.id });
    return connection;
  });
}

/** A failed attempt to test is ignored: the Connection is saved, and its page offers the test again. */
async function tryOut(connectionId: string): Promise<void> {
  try {
    const { body } = await api.testConnection({ params: { connectionId } });
    queryClient.setQueryData(keys.connectionTest(connectionId), body);
  } catch {
    // The page of the Connection shows that it was never tested.
  }
}
