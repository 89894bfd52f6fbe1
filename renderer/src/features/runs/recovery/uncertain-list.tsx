import { ChevronRight } from 'lucide-react';
import { useDeferredValue, useMemo, useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Pill, type Tone } from '../../../ui/pill.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { useShare } from './address-list.tsx';
import type { Uncertain } from './recovery.ts';

const tones: Record<NonNullable<Uncertain['grade']>, Tone> = {
  started: 'warn',
  completed: 'warn',
  errored: 'neutral',
  possible: 'neutral',
};
/** Number of items from which the list has a search. */
const longList = 12;

/** Objects that may exist outside the state, each with its import block. */
export function UncertainList({ items, unnamed }: { items: readonly Uncertain[]; unnamed: number }) {
  const t = useText();
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const matches = useMemo(() => items.filter(({ address }) => address.toLowerCase().includes(wanted)), [items, wanted]);
  const { shown, more, show } = useShare(matches.length);
  const all = useMemo(() => matches.map(({ block }) => block).join('\n\n'), [matches]);
  return (
    <div className="mt-2 rounded-md border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-3 py-2">
        <h4 className="min-w-0 flex-1 basis-48 font-medium">
          {t('recovery.uncertain', { count: items.length + unnamed })}
        </h4>
        {items.length > longList && (
          <input
            type="search"
            value={text}
            aria-label={t('recovery.filter')}
            placeholder={t('recovery.filter')}
            onChange={({ target }) => setText(target.value)}
            className="min-h-8 min-w-0 flex-1 basis-40 rounded-md border border-line-strong/60 bg-card px-2.5 text-sm placeholder:text-muted"
          />
        )}
        {matches.length > 1 && (
          <span className="flex items-center gap-1 text-sm text-muted">
            {t('recovery.copyAll')}
            <CopyButton text={all} what={t('recovery.blocks', { count: matches.length })} />
          </span>
        )}
      </div>
      <ul className="divide-y divide-line">
        {matches.slice(0, shown).map((item) => (
          <UncertainRow key={item.address} item={item} />
        ))}
      </ul>
      {matches.length === 0 && <p className="px-3 py-3 text-muted">{t('recovery.filter.nothing')}</p>}
      {(more > 0 || unnamed > 0) && (
        <div className="flex flex-wrap items-center gap-x-3 border-t border-line px-3 py-1.5 text-sm text-muted">
          {more > 0 && (
            <Button variant="quiet" className="-ml-3.5" onClick={show}>
              {t('recovery.more', { count: more })}
            </Button>
          )}
          {unnamed > 0 && <span>{t('recovery.unnamed', { count: unnamed })}</span>}
        </div>
      )}
    </div>
  );
}

function UncertainRow({ item: { address, grade, block } }: { item: Uncertain }) {
  const t = useText();
  const shown = visibleText(address);
  return (
    <li className="px-3 py-2">
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-2 gap-y-1">
          <span className="flex min-w-0 flex-1 basis-52 items-start gap-1.5">
            <ChevronRight
              size={15}
              aria-hidden="true"
              className="mt-0.5 shrink-0 text-muted transition-transform group-open:rotate-90"
            />
            <code className="min-w-0 font-mono text-[13px] break-all">{shown}</code>
          </span>
          {grade && <Pill tone={tones[grade]}>{t(`recovery.grade.${grade}`)}</Pill>}
        </summary>
        {grade && <p className="mt-1.5 text-sm text-muted">{t(`recovery.grade.${grade}.text`)}</p>}
        <div className="mt-1.5 flex items-start gap-2 rounded-md bg-raised px-3 py-2">
          <pre className="min-w-0 flex-1 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
            {visibleText(block)}
          </pre>
          <CopyButton text={block} what={t('recovery.blockOf', { address: shown })} />
        </div>
      </details>
    </li>
  );
}
