import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/text.ts';
import { quietClass } from './controls.tsx';

type Props<T> = {
  label: string;
  items: readonly T[];
  /** Number of items that are shown first, and with each use of the button. */
  step?: number;
  className?: string;
  children: (item: T) => ReactNode;
};

/** A list that shows its first items, and more of them on request. Its items never move. */
export function LongList<T>({ label, items, step = 50, className = '', children }: Props<T>) {
  const t = useText();
  const [most, setMost] = useState(step);
  const rest = items.length - most;
  return (
    <>
      <ul aria-label={label} className={`divide-y divide-line ${className}`}>
        {items.slice(0, most).map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two items may be alike, and none ever moves
          <li key={index} className="px-4 py-2">
            {children(item)}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <div className="border-t border-line px-3 py-2">
          <button type="button" className={quietClass} onClick={() => setMost(most + step)}>
            {t('list.showMore', { count: Math.min(rest, step), rest })}
            <span className="sr-only">: {label}</span>
          </button>
        </div>
      )}
    </>
  );
}
