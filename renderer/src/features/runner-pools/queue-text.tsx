import type { PoolQueue } from '#shared/runner-pools/contract';
import { useText } from '../../i18n/text.ts';
import { Since } from '../../ui/time.tsx';

/** Runs of a pool that wait and run, and the age of the oldest one that waits. */
export function QueueText({ queue: { waiting, oldestWaitingAt, running } }: { queue: PoolQueue }) {
  const t = useText();
  return (
    <p className="text-sm text-muted">
      {t('runners.queue', { waiting, running })}
      {oldestWaitingAt !== undefined && (
        <>
          {' · '}
          {t('runners.oldest')} <Since at={oldestWaitingAt} />
        </>
      )}
    </p>
  );
}
