import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ChangedFile, CodeComparison, OmittedReason } from '#shared/sources/code';
import { ApiError } from '../../api/client.ts';
import { comparisonQuery } from '../../api/records.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { numberText } from '../../ui/number-text.ts';
import { ShortId } from '../../ui/short-id.tsx';
import { Card, EmptyState, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ErrorNote } from '../error-note.tsx';
import { CommitText } from './commit-text.tsx';
import { DiffLines } from './diff-lines.tsx';
import { HostLink } from './host-link.tsx';
import { linesOfHunk, onlyEndDiffers } from './hunk-lines.ts';

type Props = { sourceId: string; from: string; to: string };

/** Changes of the code from one snapshot to another: the two commits, and each file that differs. */
export function CodeDifference(props: Props) {
  const { data, error, refetch } = useQuery(comparisonQuery(props));
  if (data) return <Comparison sourceId={props.sourceId} comparison={data} />;
  if (!error) return <Skeleton lines={6} />;
  return (
    <div className="flex flex-col items-start gap-3">
      <ErrorNote error={error} onAgain={() => void refetch()} />
      {isMissingArchive(error) && <SyncOffer sourceId={props.sourceId} />}
    </div>
  );
}

const isMissingArchive = (error: unknown): boolean =>
  error instanceof ApiError && error.details['reason'] === 'source_sync_required';

function SyncOffer({ sourceId }: { sourceId: string }) {
  const t = useText();
  return (
    <Link to="/sources/$id" params={{ id: sourceId }} className={buttonClass()}>
      {t('code.sync')}
    </Link>
  );
}

function Comparison({ sourceId, comparison }: { sourceId: string; comparison: CodeComparison }) {
  const t = useText();
  const { from, to, files, fileCount } = comparison;
  return (
    <section aria-label={t('code.title')} className="flex flex-col gap-4">
      <Card className="px-4 py-3">
        <div className="flex flex-wrap items-baseline justify-between gap-2">
          <h2 className="font-semibold">{t('code.title')}</h2>
          {from.resolvedCommit !== to.resolvedCommit && (
            <HostLink sourceId={sourceId} to={({ compare }) => compare(from.resolvedCommit, to.resolvedCommit)} />
          )}
        </div>
        <p className="mt-0.5 text-xs text-muted">{t('code.ends')}</p>
        <End label={t('code.from')} end={from} />
        <End label={t('code.to')} end={to} />
      </Card>
      {files.length === 0 && <EmptyState title={t('code.same')} text={t('code.same.text')} />}
      {files.length > 0 && <p className="text-sm text-muted">{t('code.files', { count: fileCount })}</p>}
      {files.map((file) => (
        <FileChange key={file.path} file={file} />
      ))}
      {fileCount > files.length && <p className="text-sm">{t('code.more', { count: fileCount - files.length })}</p>}
    </section>
  );
}

const End = ({ label, end }: { label: string; end: CodeComparison['from'] }) => (
  <div className="mt-2 flex flex-wrap items-start gap-x-2">
    <span className="w-16 shrink-0 text-xs leading-6 text-muted">{label}</span>
    <ShortId id={end.resolvedCommit} what={label} />
    <div className="min-w-0 flex-1 basis-48">{end.commit && <CommitText commit={end.commit} />}</div>
  </div>
);

const changeTexts: Record<ChangedFile['change'], { text: TextId; tone: string }> = {
  added: { text: 'code.added', tone: 'text-good' },
  removed: { text: 'code.removed', tone: 'text-bad' },
  changed: { text: 'code.changed', tone: 'text-warn' },
  renamed: { text: 'code.renamed', tone: 'text-accent' },
};
const omittedTexts: Record<OmittedReason, TextId> = {
  other_file: 'code.omitted.other',
  reserved: 'code.omitted.reserved',
  not_text: 'code.omitted.notText',
  file_too_large: 'code.omitted.file',
  comparison_too_large: 'code.omitted.comparison',
};

function FileChange({ file }: { file: ChangedFile }) {
  const t = useText();
  const { path, change, renamedFrom, hunks = [], omitted } = file;
  const { text, tone } = changeTexts[change];
  return (
    <article aria-label={visibleText(path)} className="overflow-hidden rounded-md border border-line bg-card">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-2">
        <h3 className="min-w-0 font-mono text-sm font-medium break-all">{visibleText(path)}</h3>
        <span className={`text-xs font-medium ${tone}`}>{t(text)}</span>
        {renamedFrom !== undefined && (
          <span className="min-w-0 text-xs break-all text-muted">
            {t('code.renamedFrom', { path: visibleText(renamedFrom) })}
          </span>
        )}
        <span className="text-xs text-muted">{sizesOf(file)}</span>
        {omitted !== undefined && <span className="text-xs text-muted">{t(omittedTexts[omitted])}</span>}
        <ModeChange file={file} />
      </header>
      {hunks.map((hunk) => (
        <div key={`${hunk.beforeLine}:${hunk.afterLine}`} className="border-t border-line bg-page">
          <DiffLines lines={linesOfHunk(hunk)} />
        </div>
      ))}
      {onlyEndDiffers(hunks) && (
        <p className="border-t border-line px-3 py-1 text-xs text-muted">{t('code.noLineEnd')}</p>
      )}
    </article>
  );
}

const bytes = ({ sizeBytes }: { sizeBytes: number }): string => `${numberText(sizeBytes)} B`;
const sizesOf = ({ before, after }: ChangedFile): string =>
  before && after && before.sizeBytes !== after.sizeBytes
    ? `${bytes(before)} → ${bytes(after)}`
    : [after ?? before].flatMap((facts) => (facts ? [bytes(facts)] : [])).join('');

function ModeChange({ file: { before, after } }: { file: ChangedFile }) {
  const t = useText();
  if (!before || !after || before.executable === after.executable) return null;
  return (
    <span className="text-xs font-medium text-warn">{t(after.executable ? 'code.executable' : 'code.plain')}</span>
  );
}
