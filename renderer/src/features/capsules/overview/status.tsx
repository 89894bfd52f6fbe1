import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import { stateVersionQuery } from '../../../api/groups.ts';
import { runsQuery } from '../../../api/records.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { whenKnown } from '../../../api/when-known.ts';
import { awaitsTexts } from '../../../components/status-text.ts';
import { type TextId, useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';
import { Since } from '../../../ui/time.tsx';

function statusTextOf({ status, currentStateGeneration }: Capsule): TextId {
  if (status === 'destroyed' && currentStateGeneration === 0) return 'overview.status.discarded';
  return `overview.status.${status}`;
}

/** Status of a Capsule in words: how far it is applied, its current state, and which plan waits for a person. */
export function StatusCard({ capsule }: { capsule: Capsule }) {
  const t = useText();
  return (
    <Card className="px-4 py-3">
      <h2 className="font-semibold">{t('overview.status')}</h2>
      <p className="mt-1">{t(statusTextOf(capsule))}</p>
      <CurrentState capsule={capsule} />
      <Waiting capsuleId={capsule.id} />
    </Card>
  );
}

function CurrentState({ capsule: { id, currentStateVersionId } }: { capsule: Capsule }) {
  const t = useText();
  const state = useQuery(whenKnown(currentStateVersionId, stateVersionQuery)).data?.stateVersion;
  if (currentStateVersionId === undefined) return null;
  return (
    <p className="min-h-5 text-sm text-muted">
      {state && (
        <>
          <Link to="/capsules/$id/states" params={{ id }} className="text-accent underline underline-offset-2">
            {t('states.generation', { generation: state.generation })}
          </Link>
          {' · '}
          {t('states.resources', { count: state.resourceCount })}
          {' · '}
          <Since at={state.createdAt} />
        </>
      )}
    </p>
  );
}

/** The newest plan that waits for an approval or an apply. */
function Waiting({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const approve = useInfiniteQuery(runsQuery(workspaceId, { capsuleId, awaits: 'approve', limit: '1' }));
  const apply = useInfiniteQuery(runsQuery(workspaceId, { capsuleId, awaits: 'apply', limit: '1' }));
  const [open] = [approve, apply].flatMap(({ data }) => data?.pages.flatMap((page) => page.runs) ?? []);
  const isKnown = approve.isSuccess && apply.isSuccess;
  return (
    <p className="min-h-5 text-sm text-muted">
      {open?.awaits && (
        <Link to="/runs/$id" params={{ id: open.id }} className="text-accent underline underline-offset-2">
          {t('overview.waits', { what: t(awaitsTexts[open.awaits].text) })}
        </Link>
      )}
      {isKnown && !open && t('overview.waits.nothing')}
    </p>
  );
}
