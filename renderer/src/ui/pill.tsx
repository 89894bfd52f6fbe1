import type { ReactNode } from 'react';

/** Background color of a tone. */
export const toneSoft = {
  neutral: 'bg-raised text-muted',
  accent: 'bg-accent-soft text-accent',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  replace: 'bg-replace-soft text-replace',
} as const;
export type Tone = keyof typeof toneSoft;

/** A word with a tone. The word carries the meaning; the color is an addition. */
export const Pill = ({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) => (
  <span
    className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-semibold whitespace-nowrap ${toneSoft[tone]}`}
  >
    {children}
  </span>
);
