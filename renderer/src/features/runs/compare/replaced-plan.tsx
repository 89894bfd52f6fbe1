import { Link } from '@tanstack/react-router';
import type { Run, RunRow } from '#shared/runs/contract';
import { useText } from '../../../i18n/text.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { Note } from '../../../ui/surface.tsx';
import { dateTimeText } from '../../../ui/time.tsx';

/** Offers the difference to the plan that an open plan has replaced before it was applied. */
export function ReplacedPlan({ run, plans }: { run: Run; plans: readonly RunRow[] }) {
  const t = useText();
  const replaced = plans.find(({ createdAt }) => createdAt < run.createdAt);
  if (!replaced || !wasReplaced(replaced)) return null;
  return (
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
  );
}

/** An applied, failed or cancelled plan was not replaced. */
const wasReplaced = ({ applyRunId, status, superseded, obsoletedBy }: RunRow): boolean =>
  applyRunId === undefined &&
  (status === 'succeeded' || status === 'waiting_approval' || status === 'expired') &&
  (superseded !== undefined || obsoletedBy !== undefined || status === 'expired');
