import type { ReactNode } from 'react';
import { listKeys, useKeyHelp } from '../../ui/keys/key-help.ts';
import { moveBetweenRows, rowListMark } from '../../ui/keys/row-keys.ts';
import { numberText } from '../../ui/number-text.ts';
import { Card } from '../../ui/surface.tsx';

/** Section of the home page. Empty sections are not rendered. */
export function Section({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  useKeyHelp(listKeys);
  return (
    <section aria-label={title}>
      <h2 className="mb-2 flex items-baseline gap-2 font-semibold">
        {title}
        {count !== undefined && (
          <span className="text-xs font-normal text-muted tabular-nums">{numberText(count)}</span>
        )}
      </h2>
      <Card>
        <ul {...rowListMark} className="divide-y divide-line" onKeyDown={moveBetweenRows}>
          {children}
        </ul>
      </Card>
    </section>
  );
}

/** Row of a section: description on the left, action on the right. */
export const Line = ({ children, aside }: { children: ReactNode; aside?: ReactNode }) => (
  <li className="relative flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5 hover:bg-raised has-[[data-row]:focus-visible]:bg-accent-soft has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:-outline-offset-2 has-[[data-row]:focus-visible]:outline-accent">
    <div className="min-w-0 flex-1 basis-64">{children}</div>
    {aside && <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">{aside}</div>}
  </li>
);
