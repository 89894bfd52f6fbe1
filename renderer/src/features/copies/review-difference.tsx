import type { ChangedPackage, CopyReview } from '#shared/copies/contract';
import { type TextId, useText } from '../../i18n/text.ts';
import { LongList } from '../../ui/long-list.tsx';
import { Pill, type Tone } from '../../ui/pill.tsx';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Change = ChangedPackage['change'];
const tones: Readonly<Record<Change, Tone>> = { added: 'good', changed: 'accent', removed: 'bad' };

/** Packages and files that differ from the current revision. */
export function ReviewDifference({ difference }: { difference: NonNullable<CopyReview['difference']> }) {
  const t = useText();
  const { packages, files } = difference;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('copyReview.difference')}</h2>
      <h3 className="px-4 pt-3 text-sm font-medium">{t('copyReview.changedPackages')}</h3>
      {packages.length === 0 && <p className="px-4 py-2 text-sm text-muted">{t('copyReview.changedPackages.none')}</p>}
      <LongList label={t('copyReview.changedPackages')} items={packages}>
        {({ change, address, from, to }) => (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <ChangeMark change={change} />
            <code className="break-all">{visibleText(address)}</code>
            <span className="break-all text-muted">{visibleText(versionsText(from, to))}</span>
          </p>
        )}
      </LongList>
      <h3 className="border-t border-line px-4 pt-3 text-sm font-medium">
        {t('copyReview.changedFiles')} <span className="font-normal text-muted tabular-nums">{files.length}</span>
      </h3>
      {files.length === 0 && <p className="px-4 py-2 text-sm text-muted">{t('copyReview.changedFiles.none')}</p>}
      <LongList label={t('copyReview.changedFiles')} items={files}>
        {({ change, path }) => (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <ChangeMark change={change} />
            <code className="break-all">{visibleText(path)}</code>
          </p>
        )}
      </LongList>
    </Card>
  );
}

const versionsText = (from: string | undefined, to: string | undefined): string =>
  from !== undefined && to !== undefined ? `${from} → ${to}` : (from ?? to ?? '');

function ChangeMark({ change }: { change: Change }) {
  const t = useText();
  return <Pill tone={tones[change]}>{t(`copyReview.change.${change}` satisfies TextId)}</Pill>;
}
