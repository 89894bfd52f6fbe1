import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { BackupSchedule } from '#shared/backup-schedules/contract';
import { backupScheduleQuery } from '../../api/backup-schedules.ts';
import { useMay } from '../../api/role.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { Card, Note, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { hourText } from './hour-text.ts';
import { ScheduleActions } from './schedule-actions.tsx';
import { ScheduleForm } from './schedule-form.tsx';

/** Daily backups of the Workspace and the copies of them: settings, last success and last failure. */
export function Schedule() {
  const t = useText();
  const query = useQuery(backupScheduleQuery(useWorkspaceId()));
  return (
    <Card className="min-h-28">
      <div className="border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{t('schedule.title')}</h2>
        <p className="text-sm text-muted">{t('schedule.lead')}</p>
      </div>
      {query.isPending && <Skeleton lines={3} />}
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data && <Loaded key={query.data.schedule?.updatedAt} schedule={query.data.schedule} />}
    </Card>
  );
}

function Loaded({ schedule }: { schedule: BackupSchedule | undefined }) {
  const t = useText();
  const may = useMay();
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <ScheduleForm schedule={schedule} onEnd={() => setEditing(false)} />;
  const edit = may('saveBackupSchedule') && (
    <Button onClick={() => setEditing(true)}>{t(schedule ? 'schedule.change' : 'schedule.add')}</Button>
  );
  return (
    <>
      {schedule ? <ScheduleFacts schedule={schedule} /> : <p className="px-4 pt-3 text-muted">{t('schedule.none')}</p>}
      <div className="flex flex-wrap gap-2 px-4 pt-1 pb-3 empty:hidden">
        {edit}
        {schedule && <ScheduleActions schedule={schedule} />}
        {!edit && <p className="text-sm text-muted">{t('schedule.who')}</p>}
      </div>
    </>
  );
}

function ScheduleFacts({ schedule }: { schedule: BackupSchedule }) {
  const t = useText();
  const { hour, keep, stored, nextAt, current, lastSuccess, lastFailure } = schedule;
  return (
    <>
      {lastFailure && (
        <div className="px-4 pt-3">
          <Note tone="warn" title={t('schedule.failed')}>
            <p lang="en" className="break-words">
              {visibleText(lastFailure.message)}
            </p>
            <p className="mt-1 text-sm">
              <Since at={lastFailure.at} />
              {current?.retryAt !== undefined && (
                <>
                  {' · '}
                  {t('schedule.retry')} <Since at={current.retryAt} />
                </>
              )}
            </p>
          </Note>
        </div>
      )}
      <Facts
        items={[
          { term: t('schedule.every'), value: hourText(hour) },
          { term: t('schedule.target'), value: <Target schedule={schedule} /> },
          { term: t('schedule.keep'), value: t('schedule.stored', { keep, stored }) },
          {
            term: t('schedule.last'),
            value: lastSuccess ? (
              <>
                <Since at={lastSuccess.at} /> · {bytesText(lastSuccess.sizeBytes)}
                <code className="block font-mono text-xs break-all text-muted">
                  {visibleText(lastSuccess.location)}
                </code>
              </>
            ) : (
              t('schedule.last.none')
            ),
          },
          {
            term: t('schedule.next'),
            value:
              current && current.retryAt === undefined ? t(`schedule.step.${current.step}`) : <Since at={nextAt} />,
          },
        ]}
      />
    </>
  );
}

function Target({ schedule: { target } }: { schedule: BackupSchedule }) {
  const t = useText();
  if (target.kind === 'folder')
    return <code className="font-mono text-[0.93em] break-all">{visibleText(target.path)}</code>;
  return (
    <Link to="/connections/$id" params={{ id: target.connectionId }} className="text-accent underline">
      {t('schedule.bucket')}
    </Link>
  );
}
