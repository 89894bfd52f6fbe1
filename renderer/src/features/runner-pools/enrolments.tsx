import { useQuery } from '@tanstack/react-query';
import type { RunnerEnrolment } from '#shared/runner-pools/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { openEnrolmentsQuery } from '../../api/runner-pools.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { dateTimeText } from '../../ui/time.tsx';

/** Enrolments of a pool that a machine can still use; nothing when there is none. */
export function OpenEnrolments({ poolId }: { poolId: string }) {
  const t = useText();
  const query = useQuery(openEnrolmentsQuery(poolId));
  if (query.isLoadingError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  const enrolments = query.data ?? [];
  if (enrolments.length === 0) return null;
  return (
    <ul aria-label={t('runners.enrolments')} className="divide-y divide-line border-b border-line">
      {enrolments.map((enrolment) => (
        <EnrolmentRow key={enrolment.id} enrolment={enrolment} />
      ))}
    </ul>
  );
}

function EnrolmentRow({ enrolment: { id, expiresAt } }: { enrolment: RunnerEnrolment }) {
  const t = useText();
  const cancel = useIntent(async (keyOf) => {
    await api.cancelRunnerEnrolment({ params: { enrolmentId: id } }, keyOf('cancel'));
    invalidateRecord({ kind: 'runner', id });
  });
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          {t('runners.enrolment.open', { until: dateTimeText(expiresAt) })}
          <ShortId id={id} what={t('runners.enrolment')} length={12} />
        </p>
        {cancel.error !== undefined && <ErrorNote error={cancel.error} />}
      </div>
      <Button busy={cancel.isBusy} onClick={() => void cancel.run()}>
        {t('runners.enrolment.cancel')}
      </Button>
    </li>
  );
}
