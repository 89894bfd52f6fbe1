import { useEffect, useState } from 'react';
import { setClockOffset } from '../ui/time.tsx';
import { openLive } from './live.ts';
import { forgetChanged, queryClient } from './queries.ts';

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
          // Whatever was missed while the stream was away is fetched anew.
          if (state === 'open') void queryClient.invalidateQueries();
        },
        onEvent: (name, data) => {
          if (name === 'reset') void queryClient.invalidateQueries();
          else forgetChanged(data as { kind: string; id: string });
        },
      }),
    [workspaceId],
  );
  return isLost;
}
