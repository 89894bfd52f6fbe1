import { useEffect, useState } from 'react';
import { ApiError, api } from '../api/client.ts';
import { openLive } from '../api/live.ts';
import { invalidateRecord, keys, queryClient } from '../api/queries.ts';
import { isSealed } from '../api/sealed.ts';
import { setClockOffset } from '../ui/time.tsx';

/**
 * Checks the session, the membership and the vault again: a stream also ends when one of the first two has, and a
 * restarted server may be locked.
 */
async function checkAccess(workspaceId: string): Promise<void> {
  const refusal = await api.getWorkspace({ params: { workspaceId } }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(refusal instanceof ApiError)) return;
  if (refusal.status === 401 || refusal.status === 403 || isSealed(refusal))
    await queryClient.invalidateQueries({ queryKey: keys.session });
}

/**
 * Subscribes to the stream of the Workspace and invalidates the queries that it reports as changed. True while the
 * stream is disconnected.
 */
export function useWorkspaceStream(workspaceId: string): boolean {
  const [isLost, setLost] = useState(false);
  useEffect(
    () =>
      openLive({
        url: `/api/v1/workspaces/${workspaceId}/events`,
        events: ['changed', 'reset'],
        onClock: setClockOffset,
        onState: (state) => {
          setLost(state === 'lost');
          if (state === 'lost') void checkAccess(workspaceId);
          // Fetch everything again that may have changed while the stream was disconnected.
          if (state === 'open') void queryClient.invalidateQueries();
        },
        onEvent: (name, data) => {
          if (name === 'reset') void queryClient.invalidateQueries();
          else invalidateRecord(data as { kind: string; id: string });
        },
      }),
    [workspaceId],
  );
  return isLost;
}
