import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Run, RunRow } from '#shared/runs/contract';
import { comparablePlansQuery } from '../../../api/plan-comparison.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { useText } from '../../../i18n/text.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Note } from '../../../ui/surface.tsx';
import { dateTimeText } from '../../../ui/time.tsx';

/** Offers the difference to the plan that an open plan has replaced before it was applied. */
export function ReplacedPlan({ run }: { run: Run & { capsuleId: string } }) {
  const t = useText();
  const plans = useQuery(comparablePlansQuery(useWorkspaceId(), run.capsuleId)).data;
  const replaced = plans?.find(({ createdAt }) => createdAt < run.createdAt);
  if (!replaced || !wasReplaced(replaced)) return null;
  return (
    <div className="mb-4">
      <Note>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-72">{t('compare.replaces', { when: dateTimeText(replaced.createdAt) })}</p>
          <Link
            to="/runs/$id"
            params={{ id: run.id }}
            search={{ tab: 'compare', with: replaced.id }}
            resetScroll={false}
            className={buttonClass()}
          >
            {t('compare.replaces.action')}
          </Link>
        </div>
      </Note>
    </div>
  );
}

/** An applied, failed or cancelled plan was not replaced. */
const wasReplaced = ({ applyRunId, status, superseded, obsoletedBy }: RunRow): boolean =>
  applyRunId === undefined &&
  (status === 'succeeded' || status === 'waiting_approval' || status === 'expired') &&
  (superseded !== undefined || obsoletedBy !== undefined || status === 'expired');
