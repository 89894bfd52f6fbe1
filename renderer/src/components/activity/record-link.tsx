import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ActivityEvent } from '#shared/activity/contract';
import { capsulesQuery, sourcesQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { rowLinkClass } from '../../ui/data-table.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { nameIn, useActivityText } from './activity-text.ts';

/** The pages that a row of the history can lead to. */
type RecordPage =
  | {
      to:
        | '/runs/$id'
        | '/capsules/$id'
        | '/sources/$id'
        | '/connections/$id'
        | '/install-plans/$id'
        | '/form-resources/$id';
      id: string;
    }
  | undefined;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Returns the page of a row's record. A record without a page leads to its Run or its Capsule. */
function findRecordPage({ action, targetType, targetId, runId, metadata }: ActivityEvent): RecordPage {
  const capsuleId = text(metadata['capsuleId']) ?? text(metadata['producerCapsuleId']);
  const run = runId === undefined ? undefined : ({ to: '/runs/$id', id: runId } as const);
  const capsule = capsuleId === undefined ? undefined : ({ to: '/capsules/$id', id: capsuleId } as const);
  switch (targetType) {
    case 'run':
      return { to: '/runs/$id', id: targetId };
    case 'capsule':
      return { to: '/capsules/$id', id: targetId };
    case 'source':
      return { to: '/sources/$id', id: targetId };
    case 'connection':
      return { to: '/connections/$id', id: targetId };
    case 'install_plan':
      return { to: '/install-plans/$id', id: targetId };
    case 'resource':
      return action === 'resource.delete.succeeded' ? undefined : { to: '/form-resources/$id', id: targetId };
    default:
      return run ?? capsule;
  }
}

/** The sentence of a row, which is the link to its record where it has a page. */
export function RecordLink({ event }: { event: ActivityEvent }) {
  const activityText = useActivityText();
  const page = findRecordPage(event);
  if (!page) return <span>{activityText(event)}</span>;
  return (
    <Link to={page.to} params={{ id: page.id }} data-row className={`${rowLinkClass} break-words`}>
      {activityText(event)}
    </Link>
  );
}

/** Names of the recently changed Capsules, because most rows carry only the id of theirs. */
function useCapsuleNames(): ReadonlyMap<string, string> {
  const { data } = useInfiniteQuery(capsulesQuery(useWorkspaceId(), { includeDestroyed: '1' }));
  return new Map(data?.pages.flatMap((page) => page.capsules).map(({ id, name }) => [id, name]));
}

function useSourceNames(): ReadonlyMap<string, string> {
  const { data } = useInfiniteQuery(sourcesQuery(useWorkspaceId()));
  return new Map(data?.pages.flatMap((page) => page.sources).map(({ id, name }) => [id, name]));
}

/** Name of the record, or its kind when it has no name. */
export function RecordName({ event }: { event: ActivityEvent }) {
  const t = useText();
  const kind = t(`activity.kind.${event.targetType as 'run'}`);
  const capsules = useCapsuleNames();
  const sources = useSourceNames();
  const known = capsules.get(text(event.metadata['capsuleId']) ?? event.targetId) ?? sources.get(event.targetId);
  const name = nameIn(event) ?? (known === undefined ? undefined : visibleText(known));
  return (
    <span className={name === undefined ? 'text-muted' : ''} title={visibleText(event.targetId)}>
      {name ?? kind}
    </span>
  );
}
