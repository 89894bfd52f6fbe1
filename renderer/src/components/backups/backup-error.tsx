import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError } from '../../api/client.ts';
import { runQuery } from '../../api/records.ts';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { ErrorNote } from '../error-note.tsx';
import { runErrorText } from '../status-text.ts';

/** Returns the Run that an unfinished backup belongs to; undefined for every other refusal. */
function runIdOf(error: unknown): string | undefined {
  const runId = error instanceof ApiError && error.status === 503 ? error.details['runId'] : undefined;
  return typeof runId === 'string' ? runId : undefined;
}

/** Shows why no backup was made: the refusal, or the reason of its Run. */
export function BackupError({ error }: { error: unknown }) {
  const runId = runIdOf(error);
  return runId === undefined ? <ErrorNote error={error} /> : <UnfinishedBackup runId={runId} />;
}

function UnfinishedBackup({ runId }: { runId: string }) {
  const t = useText();
  const run = useQuery(runQuery(runId)).data;
  const isFailed = run?.status === 'failed';
  return (
    <Note tone={isFailed ? 'bad' : 'warn'} title={t(isFailed ? 'backups.failed' : 'backups.unfinished')}>
      <p>{t(run?.errorCode ? runErrorText(run.errorCode) : 'backups.unfinished.text')}</p>
      <Link to="/runs/$id" params={{ id: runId }} className={`${buttonClass()} mt-2`}>
        {t('backups.run')}
      </Link>
    </Note>
  );
}
