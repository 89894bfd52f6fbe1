import type { ReactNode } from 'react';
import { pageActionsMark } from '../ui/page-actions.ts';

type Props = { label: string; className?: string; children: ReactNode };

/** Panel at the bottom of the window in which a person decides on the page above it. */
export function DecisionPanel({ label, className = '', children }: Props) {
  return (
    <section
      {...pageActionsMark}
      aria-label={label}
      className={`sticky bottom-1 z-10 max-h-[60dvh] overflow-y-auto rounded-lg border border-line-strong/40 bg-card px-3 py-2 shadow-lg sm:bottom-3 sm:px-4 sm:py-3 ${className}`}
    >
      {children}
    </section>
  );
}
