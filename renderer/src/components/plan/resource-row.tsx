import { useText } from '../../i18n/text.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { factTexts } from './as-text.ts';
import { Attributes } from './attributes.tsx';
import { isDestroyOrReplace, kindLabelOf, kindStyles, type PlanItem, shortProvider, splitAddress } from './change.ts';
import { diffOf } from './diff.ts';
import { KindMark, toneText } from './kind-mark.tsx';
import { indentOf, RowButton, type RowHandle } from './row-button.tsx';
import { findMatchingPaths, pathText } from './search.ts';
import { HighlightedText, useQueryText } from './search-matches.tsx';
import { isSame } from './side-text.ts';
import type { Row } from './tree.ts';

export function ResourceRow({ row, handle }: { row: Extract<Row, { type: 'resource' }>; handle: RowHandle }) {
  const { item, isOpen, depth } = row;
  return (
    <>
      <RowButton handle={handle} className={`border-t border-line/70 py-2 pr-4 ${isOpen ? 'bg-raised/50' : ''}`}>
        <span className="flex min-w-0 flex-1 flex-wrap gap-x-3 gap-y-1 md:flex-nowrap">
          <KindMark kind={item.kind} actions={item.resource.actions} label={kindLabelOf(item)} />
          <span className="min-w-0 flex-1 basis-full md:basis-0">
            <Address item={item} />
            <Facts item={item} />
            {!isOpen && <Preview item={item} />}
          </span>
          <span className="hidden max-w-48 shrink-0 truncate text-xs leading-5 text-muted md:block">
            {visibleText(shortProvider(item.resource.providerName))}
          </span>
        </span>
      </RowButton>
      {isOpen && (
        <div className="border-t border-line/70 pr-4 pb-4" style={{ paddingLeft: 12 + indentOf(depth) }}>
          <Detail item={item} />
        </div>
      )}
    </>
  );
}

/** Address with its module part dimmed. */
function Address({ item }: { item: PlanItem }) {
  const [module, own] = splitAddress(item.resource);
  return (
    <span className="block font-mono text-[0.93em] leading-5 break-all">
      <span className="text-muted">
        <HighlightedText text={module} />
      </span>
      <span className="font-medium">
        <HighlightedText text={own} />
      </span>
    </span>
  );
}

function Facts({ item }: { item: PlanItem }) {
  const t = useText();
  const facts = factTexts(item, t);
  if (facts.length === 0) return null;
  const tone = isDestroyOrReplace(item.kind) ? toneText[kindStyles[item.kind].tone] : 'text-muted';
  return (
    <span className={`mt-0.5 block text-xs leading-4 break-words ${tone}`}>
      <HighlightedText text={joinFacts(facts)} />
    </span>
  );
}

/** Joins complete sentences with a space and other facts with a dot. */
const joinFacts = (facts: readonly string[]): string =>
  facts.reduce((text, fact) => `${text}${/[.。]$/.test(text) ? ' ' : ' · '}${fact}`);

const maxNames = 4;

/** Preview of a closed row: the search matches, or the names of the changed attributes. */
function Preview({ item }: { item: PlanItem }) {
  const t = useText();
  const query = useQueryText();
  if (query !== '') {
    const paths = findMatchingPaths(diffOf(item.resource), query);
    return paths.length === 0 ? null : <PreviewText text={t('plan.foundIn', { places: paths.join(', ') })} />;
  }
  if (item.kind !== 'update' && item.kind !== 'replace') return null;
  const names = diffOf(item.resource)
    .filter((node) => !isSame(node))
    .map((node) => pathText(node.path));
  const rest = names.length - maxNames;
  const text = names.slice(0, maxNames).join(', ') + (rest > 0 ? ` +${rest}` : '');
  return text === '' ? null : <PreviewText text={text} />;
}

const PreviewText = ({ text }: { text: string }) => (
  <span className="mt-0.5 block font-mono text-xs leading-4 break-all text-muted">
    <HighlightedText text={text} />
  </span>
);

function Detail({ item }: { item: PlanItem }) {
  const t = useText();
  const { resource } = item;
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2 pl-6 text-xs text-muted">
        <span>
          {t('plan.type')} <span className="font-mono break-all text-ink">{visibleText(resource.type)}</span>
        </span>
        <span>
          {t('plan.provider')}{' '}
          <span className="font-mono break-all text-ink">{visibleText(resource.providerName)}</span>
        </span>
        <CopyButton text={resource.address} what={t('plan.address')} />
      </div>
      <Attributes nodes={diffOf(resource)} name={resource.address} />
    </>
  );
}
