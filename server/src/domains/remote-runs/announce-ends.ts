import type { Outbox } from '#server/kernel/outbox';
import type { HeldJobs } from './held-jobs.ts';
import type { PoolsLink } from './link.ts';

type Deps = {
  outbox: Pick<Outbox, 'listen'>;
  jobs: Pick<HeldJobs, 'findKnown'>;
  link: Pick<PoolsLink, 'announce'>;
  stopping: AbortSignal;
};

/** Lets a machine know at once that a Run which it holds is over there, so that it has room for the next one. */
export function announceEnds({ outbox, jobs, link, stopping }: Deps): void {
  const unsubscribe = outbox.listen(({ kind, recordId, status }) => {
    const held = kind === 'run' && status !== 'running' ? jobs.findKnown(recordId) : undefined;
    if (held) link.announce(held.row.machineId);
  });
  stopping.addEventListener('abort', unsubscribe, { once: true });
}
