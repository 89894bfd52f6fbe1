import { useQuery } from '@tanstack/react-query';
import type { SnapshotCommit } from '#shared/sources/contract';
import { snapshotQuery } from '../../api/records.ts';
import { useText } from '../../i18n/text.ts';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Subject of a commit. Its message, author and time open below it, marked as unverified. */
export function CommitText({ commit }: { commit: SnapshotCommit }) {
  const t = useText();
  const { subject, message, messageCut, authorName, authoredAt } = commit;
  return (
    <details className="min-w-0 break-words">
      <summary className="cursor-pointer rounded" title={t('commit.unverified')}>
        {subject === '' ? <i className="text-muted">{t('commit.noSubject')}</i> : visibleText(subject)}
      </summary>
      <div className="mt-1 mb-1 max-w-3xl rounded-md border border-line bg-page px-3 py-2 text-xs">
        <p className="text-muted">{t('commit.unverified')}</p>
        <p className="mt-1">
          {authorName === '' ? t('commit.noAuthor') : visibleText(authorName)} · <Since at={authoredAt} />
        </p>
        {message !== '' && (
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
            tabIndex={0}
            className="mt-1 max-h-60 overflow-auto font-mono break-words whitespace-pre-wrap"
          >
            {visibleText(message)}
          </pre>
        )}
        {messageCut && <p className="mt-1 text-muted">{t('commit.cut')}</p>}
      </div>
    </details>
  );
}

/** Text of the commit of a snapshot; nothing while it loads, and for snapshots of an earlier version. */
export function SnapshotCommitText({ sourceId, snapshotId }: { sourceId: string; snapshotId: string }) {
  const commit = useQuery(snapshotQuery(sourceId, snapshotId)).data?.commit;
  return commit === undefined ? null : <CommitText commit={commit} />;
}
