import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import type { Backup } from '#shared/backups/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { capsuleNamesQuery } from '../../api/links.ts';
import { statesQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass, Labelled, quietClass } from '../../ui/controls.tsx';
import { dateTimeText } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ErrorNote } from '../error-note.tsx';

const whole = '';

/** Selects what returns from a backup: the newest states of all its Capsules, or a state of one. */
export function RestoreForm({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const t = useText();
  const navigate = useNavigate();
  const [capsuleId, setCapsuleId] = useState(backup.capsuleId ?? whole);
  const [generation, setGeneration] = useState<number>();
  const restore = useIntent(async (keyOf) => {
    const { workspaceId, id: backupId, digest: expectedBackupDigest } = backup;
    const body = {
      backupId,
      expectedBackupDigest,
      ...(capsuleId !== whole && { capsuleId }),
      ...(generation !== undefined && { stateGeneration: generation }),
    };
    const { run } = (await api.restoreBackup({ params: { workspaceId }, body }, keyOf(JSON.stringify(body)))).body;
    await navigate({ to: '/runs/$id', params: { id: run.id } });
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void restore.run();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">{t('backups.restore.text', { at: dateTimeText(backup.createdAt) })}</p>
      <CapsuleField
        backup={backup}
        value={capsuleId}
        onChange={(id) => {
          setCapsuleId(id);
          setGeneration(undefined);
        }}
      />
      {capsuleId !== whole && (
        <GenerationField
          key={capsuleId}
          capsuleId={capsuleId}
          createdAt={backup.createdAt}
          value={generation}
          onChange={setGeneration}
        />
      )}
      <p className="text-muted">{t('backups.restore.next')}</p>
      {restore.error !== undefined && <ErrorNote error={restore.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose} disabled={restore.isBusy}>
          {t('cancel')}
        </Button>
        <Button type="submit" variant="primary" busy={restore.isBusy}>
          {t('backups.restore.review')}
        </Button>
      </div>
    </form>
  );
}

type CapsuleProps = { backup: Backup; value: string; onChange: (id: string) => void };

/** The backup of one Capsule has no choice. */
function CapsuleField({ backup, value, onChange }: CapsuleProps) {
  const t = useText();
  const id = useId();
  const capsules = useQuery(capsuleNamesQuery(backup.workspaceId)).data ?? [];
  const offered = capsules.filter(({ capsuleId }) => backup.capsuleId === undefined || capsuleId === backup.capsuleId);
  return (
    <Labelled id={id} label={t('backups.restore.capsules')} help={t('backups.restore.capsules.help')}>
      <select
        id={id}
        name="capsuleId"
        value={value}
        disabled={backup.capsuleId !== undefined}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(target.value)}
        className={inputClass}
      >
        {backup.capsuleId === undefined && <option value={whole}>{t('backups.restore.all')}</option>}
        {backup.capsuleId !== undefined && offered.length === 0 && (
          <option value={backup.capsuleId}>{t('backups.restore.gone')}</option>
        )}
        {offered.map(({ capsuleId, name, environment }) => (
          <option key={capsuleId} value={capsuleId}>
            {environment === 'default' ? visibleText(name) : `${visibleText(name)} (${visibleText(environment)})`}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

type GenerationProps = {
  capsuleId: string;
  createdAt: string;
  value: number | undefined;
  onChange: (generation: number | undefined) => void;
};

/** Generations that the Capsule had when the backup was made, newest first. */
function GenerationField({ capsuleId, createdAt, value, onChange }: GenerationProps) {
  const t = useText();
  const id = useId();
  const pages = useInfiniteQuery(whenKnown(capsuleId, statesQuery));
  const states = pages.data?.pages.flatMap((page) => page.stateVersions) ?? [];
  const held = states.filter((state) => Date.parse(state.createdAt) <= Date.parse(createdAt));
  return (
    <Labelled
      id={id}
      label={t('backups.restore.generation')}
      help={
        pages.hasNextPage && (
          <button
            type="button"
            className={quietClass}
            disabled={pages.isFetching}
            onClick={() => void pages.fetchNextPage()}
          >
            {t('backups.restore.older')}
          </button>
        )
      }
    >
      <select
        id={id}
        name="stateGeneration"
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        className={inputClass}
      >
        <option value="">{t('backups.restore.newest')}</option>
        {held.map(({ generation, createdAt, resourceCount }) => (
          <option key={generation} value={generation}>
            {t('backups.restore.option', { generation, at: dateTimeText(createdAt), count: resourceCount })}
          </option>
        ))}
      </select>
    </Labelled>
  );
}
