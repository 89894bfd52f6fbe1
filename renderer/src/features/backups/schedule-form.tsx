import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { type BackupSchedule, BackupScheduleInput } from '#shared/backup-schedules/contract';
import { objectStorageKind } from '#shared/connections/object-storage';
import { backupScheduleLimits } from '#shared/limits';
import { ApiError, api } from '../../api/client.ts';
import { connectionsQuery } from '../../api/connections.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled } from '../../ui/controls.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { hourText } from './hour-text.ts';

type Kind = BackupSchedule['target']['kind'];
type Draft = { hour: string; keep: string; kind: Kind; path: string; connectionId: string };

const hours = Array.from({ length: 24 }, (_, hour) => hour);

function draftOf(schedule: BackupSchedule | undefined): Draft {
  const { hour = 3, keep = 14, target } = schedule ?? {};
  return {
    hour: String(hour),
    keep: String(keep),
    kind: target?.kind ?? 'folder',
    path: target?.kind === 'folder' ? target.path : '',
    connectionId: target?.kind === 'object_storage' ? target.connectionId : '',
  };
}

const inputOf = ({ hour, keep, kind, path, connectionId }: Draft): unknown => ({
  hour: Number(hour),
  keep: /^[0-9]{1,4}$/.test(keep) ? Number(keep) : Number.NaN,
  target: kind === 'folder' ? { kind, path: path.trim() } : { kind, connectionId },
});

/** Returns the server's reason why copies cannot be stored in the folder. */
const refusedPath = (error: unknown): string | undefined =>
  error instanceof ApiError && error.details['reason'] === 'backup_folder_invalid' ? error.message : undefined;

type Props = { schedule: BackupSchedule | undefined; onEnd: () => void };

/** Hour, number of copies and target of the daily backups. */
export function ScheduleForm({ schedule, onEnd }: Props) {
  const t = useText();
  const id = useId();
  const workspaceId = useWorkspaceId();
  const [draft, setDraft] = useState(() => draftOf(schedule));
  const [showErrors, setShowErrors] = useState(false);
  const read = BackupScheduleInput.safeParse(inputOf(draft));
  const save = useIntent(async (keyOf) => {
    if (!read.success) return;
    const { data: body } = read;
    await api.saveBackupSchedule({ params: { workspaceId }, body }, keyOf(JSON.stringify(body)));
    await queryClient.invalidateQueries({ queryKey: keys.backupSchedule(workspaceId) });
    onEnd();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (read.success) void save.run();
  };
  const wrong = new Set(showErrors && !read.success ? read.error.issues.map(({ path }) => path[0]) : []);
  const refused = refusedPath(save.error);
  const change = (next: Partial<Draft>) => setDraft({ ...draft, ...next });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-3 p-4">
      <div className="grid gap-3 sm:grid-cols-2">
        <Labelled id={`${id}-hour`} label={t('schedule.every')}>
          <select
            id={`${id}-hour`}
            value={draft.hour}
            onChange={({ target }) => change({ hour: target.value })}
            className={inputClass}
          >
            {hours.map((hour) => (
              <option key={hour} value={hour}>
                {hourText(hour)}
              </option>
            ))}
          </select>
        </Labelled>
        <Labelled
          id={`${id}-keep`}
          label={t('schedule.keep')}
          help={t('schedule.keep.help')}
          problem={wrong.has('keep') ? t('schedule.keep.wrong', { most: backupScheduleLimits.copies }) : undefined}
        >
          <input
            id={`${id}-keep`}
            name="keep"
            inputMode="numeric"
            autoComplete="off"
            value={draft.keep}
            aria-invalid={wrong.has('keep') || undefined}
            aria-describedby={`${id}-keep-help`}
            onChange={({ target }) => change({ keep: target.value })}
            className={inputClass}
          />
        </Labelled>
      </div>
      <TargetFields draft={draft} isWrong={wrong.has('target')} onChange={change} />
      {refused !== undefined && (
        <Note tone="bad" title={t('schedule.path.refused')}>
          <p lang="en" className="break-words">
            {visibleText(refused)}
          </p>
        </Note>
      )}
      {save.error !== undefined && refused === undefined && <ErrorNote error={save.error} />}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" busy={save.isBusy}>
          {t('save')}
        </Button>
        <Button onClick={onEnd} disabled={save.isBusy}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  );
}

type TargetProps = { draft: Draft; isWrong: boolean; onChange: (change: Partial<Draft>) => void };

function TargetFields({ draft, isWrong, onChange }: TargetProps) {
  const t = useText();
  const id = useId();
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">{t('schedule.target')}</legend>
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        {(['folder', 'object_storage'] as const).map((kind) => (
          <label key={kind} className="flex items-center gap-2">
            <input type="radio" name={`${id}-kind`} checked={draft.kind === kind} onChange={() => onChange({ kind })} />
            {t(`schedule.target.${kind}`)}
          </label>
        ))}
      </div>
      {draft.kind === 'folder' ? (
        <Labelled
          id={`${id}-path`}
          label={t('schedule.path')}
          help={t('schedule.path.help')}
          problem={isWrong ? t('schedule.path.wrong') : undefined}
        >
          <input
            id={`${id}-path`}
            name="path"
            autoComplete="off"
            spellCheck={false}
            value={draft.path}
            aria-invalid={isWrong || undefined}
            aria-describedby={`${id}-path-help`}
            onChange={({ target }) => onChange({ path: target.value })}
            className={`${inputClass} font-mono`}
          />
        </Labelled>
      ) : (
        <BucketField draft={draft} isWrong={isWrong} onChange={onChange} />
      )}
    </fieldset>
  );
}

function BucketField({ draft, isWrong, onChange }: TargetProps) {
  const t = useText();
  const id = useId();
  const connections = useQuery(connectionsQuery(useWorkspaceId())).data ?? [];
  const buckets = connections.filter(({ kind, status }) => kind === objectStorageKind && status !== 'revoked');
  return (
    <Labelled
      id={id}
      label={t('schedule.bucket')}
      help={
        <Link to="/connections/new" search={{ kind: 'storage' }} className="text-accent underline">
          {t('schedule.bucket.new')}
        </Link>
      }
      problem={isWrong ? t('schedule.bucket.wrong') : undefined}
    >
      <select
        id={id}
        name="connectionId"
        value={draft.connectionId}
        aria-invalid={isWrong || undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange({ connectionId: target.value })}
        className={inputClass}
      >
        <option value="">{t('schedule.bucket.choose')}</option>
        {buckets.map((connection) => (
          <option key={connection.id} value={connection.id}>
            {visibleText(connection.displayName ?? connection.id)}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
