import { useQuery } from '@tanstack/react-query';
import type { SnapshotCommit } from '#shared/sources/contract';
import { snapshotQuery } from '../../api/records.ts';
import { useText } from '../../i18n/text.ts';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Subject, author and time of a commit, marked as unverified. A message with more than its subject opens below. */
export function CommitText({ commit }: { commit: SnapshotCommit }) {
  const t = useText();
  const { subject, message, messageCut } = commit;
  if (message === subject)
    return (
      <div className="min-w-0 break-words">
        <Headline commit={commit} />
      </div>
    );
  return (
    <details className="min-w-0 break-words">
      <summary className="cursor-pointer rounded">
        <Headline commit={commit} />
      </summary>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
        tabIndex={0}
        className="mt-1 mb-1 max-h-60 max-w-3xl overflow-auto rounded-md border border-line bg-page px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {visibleText(message)}
      </pre>
      {messageCut && <p className="text-xs text-muted">{t('commit.cut')}</p>}
    </details>
  );
}

function Headline({ commit: { subject, authorName, authoredAt } }: { commit: SnapshotCommit }) {
  const t = useText();
  return (
    <>
      {subject === '' ? <i className="text-muted">{t('commit.noSubject')}</i> : visibleText(subject)}{' '}
      <span title={t('commit.unverified')} className="text-xs text-muted">
        · {authorName === '' ? t('commit.noAuthor') : visibleText(authorName)} · <Since at={authoredAt} /> ·{' '}
        {t('commit.said')}
      </span>
    </>
  );
}

/** Text of the commit of a snapshot; nothing while it loads, and for snapshots of an earlier version. */
export function SnapshotCommitText({ sourceId, snapshotId }: { sourceId: string; snapshotId: string }) {
  const commit = useQuery(snapshotQuery(sourceId, snapshotId)).data?.commit;
  return commit === undefined ? null : <CommitText commit={commit} />;
}
