import type { Connection } from '#shared/connections/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord, keys, queryClient } from '../../api/queries.ts';
import type { Sent } from './draft.ts';

/** Keeps what was filled in as a Connection and tries it out at once, so that a slip shows where it was made. */
export function useNewConnection() {
  return useIntent(async (keyOf, { body }: Sent): Promise<Connection> => {
    const { connection } = (await api.createConnection({ body }, keyOf('create'))).body;
    await tryOut(connection.id);
    invalidateRecord({ kind: 'connection', id: connection.id });
    return connection;
  });
}

/** A test that cannot be made costs nothing: the Connection is kept, and its page offers it again. */
async function tryOut(connectionId: string): Promise<void> {
  try {
    const { body } = await api.testConnection({ params: { connectionId } });
    queryClient.setQueryData(keys.connectionTest(connectionId), body);
  } catch {
    // The page of the Connection says that it was never tested.
  }
}
