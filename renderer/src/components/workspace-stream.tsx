import { useEffect, useState } from 'react';
import { ApiError, api } from '../api/client.ts';
import { openLive } from '../api/live.ts';
import { invalidateRecord, keys, queryClient } from '../api/queries.ts';
import { setClockOffset } from '../ui/time.tsx';

/** A stream also ends because a session or a membership has: then it is asked anew who is signed in, and where. */
async function checkAccess(workspaceId: string): Promise<void> {
  const refusal = await api.getWorkspace({ params: { workspaceId } }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (refusal instanceof ApiError && (refusal.status === 401 || refusal.status === 403))
    await queryClient.invalidateQueries({ queryKey: keys.session });
}

/** Hears the one stream of the Workspace and forgets what it says has changed. True while it is lost. */
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
          // Whatever was missed while the stream was away is fetched anew.
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
