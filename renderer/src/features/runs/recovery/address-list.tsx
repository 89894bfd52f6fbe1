import { useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { numberText } from '../../../ui/number-text.ts';
import { visibleText } from '../../../ui/visible-text.ts';

const shownAtFirst = 5;
const shownMore = 100;

/** Part of a long list, with a button that shows more. */
export function useShare(count: number): { shown: number; more: number; show: () => void } {
  const [shown, setShown] = useState(shownAtFirst);
  // A single hidden line would take the space of the button.
  const end = count <= shown + 1 ? count : shown;
  const next = Math.min(shownMore, count - end);
  return { shown: end, more: next, show: () => setShown(end + next) };
}

/** Addresses under a title with their number. Renders nothing for an empty list. */
export function AddressList({ title, addresses }: { title: string; addresses: readonly string[] }) {
  const t = useText();
  const { shown, more, show } = useShare(addresses.length);
  if (addresses.length === 0) return null;
  return (
    <div className="min-w-0">
      <h4 className="font-medium">
        {title} <span className="font-normal text-muted tabular-nums">{numberText(addresses.length)}</span>
      </h4>
      <ul className="mt-1 flex flex-col gap-0.5">
        {addresses.slice(0, shown).map((address) => (
          <li key={address} className="font-mono text-xs leading-5 break-all">
            {visibleText(address)}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <Button variant="quiet" className="mt-1 -ml-3.5" onClick={show}>
          {t('recovery.more', { count: more })}
        </Button>
      )}
    </div>
  );
}
