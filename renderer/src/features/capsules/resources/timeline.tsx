import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ResourceHistoryEntry } from '#shared/state-resources/contract';
import { resourceHistoryQuery } from '../../../api/state-resources.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { More } from '../../../components/more.tsx';
import { useWho } from '../../../components/who.ts';
import { useText } from '../../../i18n/text.ts';
import { Skeleton } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** Changes of one address, newest first, through moves: each with its Run, commit and person. */
export function Timeline({ capsuleId, address }: { capsuleId: string; address: string }) {
  const t = useText();
  const pages = useInfiniteQuery(resourceHistoryQuery(capsuleId, address));
  const entries = pages.data?.pages.flatMap((page) => page.entries) ?? [];
  const knownFrom = pages.data?.pages[0]?.knownFrom;
  return (
    <section aria-label={t('resources.history')} className="mt-3">
      <h3 className="text-sm font-semibold">{t('resources.history')}</h3>
      {pages.isPending && <Skeleton lines={2} />}
      {pages.isLoadingError && <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />}
      {pages.isSuccess && entries.length === 0 && <p className="text-sm text-muted">{t('resources.history.none')}</p>}
      <ol className="mt-1 flex flex-col gap-1">
        {entries.map((entry) => (
          <li key={`${entry.generation} ${entry.change} ${entry.address}`} className="text-sm">
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      <More pages={pages} />
      {knownFrom !== undefined && knownFrom > 1 && (
        <p className="mt-1 text-xs text-muted">{t('resources.history.from', { generation: knownFrom })}</p>
      )}
    </section>
  );
}

function Entry({ entry }: { entry: ResourceHistoryEntry }) {
  const t = useText();
  const who = useWho();
  const { change, generation, runId, createdBy, createdAt, resolvedCommit, previousAddress } = entry;
  return (
    <>
      <span className="font-medium">{t(`resources.change.${change}`)}</span>{' '}
      <Link to="/runs/$id" params={{ id: runId }} className="text-accent underline underline-offset-2">
        {t('states.generation', { generation })}
      </Link>{' '}
      <span className="text-muted">
        · {who(createdBy)} · <Since at={createdAt} />
        {resolvedCommit !== undefined && (
          <>
            {' · '}
            <code className="font-mono text-xs">{visibleText(resolvedCommit.slice(0, 8))}</code>
          </>
        )}
      </span>
      {previousAddress !== undefined && (
        <span className="block font-mono text-xs break-all text-muted">
          {t('resources.movedFrom', { address: visibleText(previousAddress) })}
        </span>
      )}
    </>
  );
}
