import type { ReactNode } from 'react';
import { DocumentTitle } from './document-title.tsx';
import { pageActionsMark } from './page-actions.ts';

export const Card = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <section className={`rounded-lg border border-line bg-card ${className}`}>{children}</section>
);

type TitleProps = {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  /** On a narrow screen the actions have a row of their own, because others replace them while the page is open. */
  haveActionsRow?: boolean;
};

/** Page title with its actions; also sets the document title. */
export function PageTitle({ title, lead, actions, haveActionsRow = false }: TitleProps) {
  return (
    <header className="mb-5 flex flex-wrap items-start justify-between gap-3">
      <DocumentTitle title={title} />
      <div className="min-w-0 flex-1 basis-72">
        <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
        {lead && <div className="mt-1 text-muted">{lead}</div>}
      </div>
      {actions && (
        <div
          {...pageActionsMark}
          className={`flex flex-wrap gap-2 empty:hidden ${haveActionsRow ? 'max-sm:basis-full' : ''}`}
        >
          {actions}
        </div>
      )}
    </header>
  );
}

/** Content of an empty list: the reason and the next step. */
export const EmptyState = ({ title, text, action }: { title: string; text: string; action?: ReactNode }) => (
  <div className="flex flex-col items-center gap-2 px-6 py-14 text-center">
    <h2 className="text-base font-semibold">{title}</h2>
    <p className="max-w-md text-muted">{text}</p>
    {action && <div className="mt-2">{action}</div>}
  </div>
);

const tones = {
  info: 'border-accent/40 bg-accent-soft',
  warn: 'border-warn/40 bg-warn-soft',
  bad: 'border-bad/40 bg-bad-soft',
} as const;

/** A note next to its cause: what happened, and what to do. */
export const Note = ({
  tone = 'info',
  title,
  children,
}: {
  tone?: keyof typeof tones;
  title?: string;
  children?: ReactNode;
}) => (
  <div role={tone === 'bad' ? 'alert' : 'status'} className={`rounded-md border px-4 py-3 ${tones[tone]}`}>
    {title && <p className="font-semibold">{title}</p>}
    {children && <div className={title ? 'mt-1' : ''}>{children}</div>}
  </div>
);

export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div aria-hidden="true" className="flex animate-pulse flex-col gap-2 p-4">
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move
      <span key={index} className="h-4 rounded bg-raised" style={{ width: `${90 - index * 12}%` }} />
    ))}
  </div>
);
