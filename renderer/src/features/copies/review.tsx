import type { ReactNode } from 'react';
import type { CopyReview, CopyRevision } from '#shared/copies/contract';
import { useText } from '../../i18n/text.ts';
import { Facts } from '../../ui/facts.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { bytesText } from '../../ui/number-text.ts';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ReviewDifference } from './review-difference.tsx';
import { PackageDetails } from './review-package.tsx';

/** Everything that the digest of a review covers, most important first: changes, programs, packages, calls, files. */
export function Review({ revision, review }: { revision: CopyRevision; review: CopyReview }) {
  const { packages, programs, calls, leftOut, difference } = review;
  const t = useText();
  return (
    <>
      <Summary revision={revision} review={review} />
      {difference && <ReviewDifference difference={difference} />}
      <Section title={t('copyReview.programs')} count={programs.length} none={t('copyReview.programs.none')}>
        <p className="px-4 pt-3 text-sm text-muted">{t('copyReview.programs.text')}</p>
        <LongList label={t('copyReview.programs')} items={programs}>
          {({ type, path }) => (
            <p className="flex flex-wrap gap-x-3">
              <code className="font-medium text-warn">{visibleText(type)}</code>
              <code className="break-all">{visibleText(path)}</code>
            </p>
          )}
        </LongList>
      </Section>
      <Section title={t('copyReview.packages')} count={packages.length} none={t('copyReview.packages.none')}>
        <LongList label={t('copyReview.packages')} items={packages} step={30}>
          {(one) => <PackageDetails copied={one} />}
        </LongList>
      </Section>
      {calls.length > 0 && (
        <Section title={t('copyReview.calls')} count={calls.length}>
          <LongList label={t('copyReview.calls')} items={calls}>
            {({ name, address, constraint, path, line, target }) => (
              <>
                <p className="flex flex-wrap gap-x-3">
                  <span className="font-medium break-all">{visibleText(name)}</span>
                  <code className="break-all">{visibleText(address)}</code>
                  {constraint !== undefined && <code className="break-all text-muted">{visibleText(constraint)}</code>}
                </p>
                <p className="text-xs break-all text-muted">
                  <code>
                    {visibleText(path)}
                    {line !== undefined && `:${line}`}
                  </code>{' '}
                  {t('copyReview.call.to')} <code>{visibleText(target)}</code>
                </p>
              </>
            )}
          </LongList>
        </Section>
      )}
      {leftOut.length > 0 && (
        <Section title={t('copyReview.leftOut')} count={leftOut.length}>
          <LongList label={t('copyReview.leftOut')} items={leftOut}>
            {({ path, reason }) => (
              <>
                <p>
                  <code className="break-all">{visibleText(path)}</code>
                </p>
                <p lang="en" className="text-xs text-muted">
                  {visibleText(reason)}
                </p>
              </>
            )}
          </LongList>
        </Section>
      )}
    </>
  );
}

function Summary({ revision: { upstreamCommit, commit }, review }: { revision: CopyRevision; review: CopyReview }) {
  const t = useText();
  const commits = [
    { term: t('copyReview.commit.upstream'), value: upstreamCommit },
    { term: t('copyReview.commit.copy'), value: commit },
  ];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">
        {t('copyReview.summary', {
          packages: review.packages.length,
          files: review.fileCount,
          size: bytesText(review.sizeBytes),
        })}
      </h2>
      <Facts
        items={commits.flatMap(({ term, value }) =>
          value === undefined
            ? []
            : [{ term, value: <code className="font-mono text-sm break-all">{visibleText(value)}</code> }],
        )}
      />
    </Card>
  );
}

type SectionProps = { title: string; count: number; none?: string; children: ReactNode };

const Section = ({ title, count, none, children }: SectionProps) => (
  <Card>
    <h2 className="flex items-baseline gap-2 border-b border-line px-4 py-2.5 font-semibold">
      {title}
      <span className="text-xs font-normal text-muted tabular-nums">{count}</span>
    </h2>
    {count === 0 ? <p className="px-4 py-3 text-muted">{none}</p> : children}
  </Card>
);
