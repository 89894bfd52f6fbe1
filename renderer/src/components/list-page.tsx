import { Link } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { useMay } from '../api/role.ts';
import { useText } from '../i18n/text.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { Card, EmptyState, PageTitle, Skeleton } from '../ui/surface.tsx';
import { ErrorNote } from './error-note.tsx';
import { More } from './more.tsx';

type Pages = ComponentProps<typeof More>['pages'] & {
  isPending: boolean;
  isLoadingError: boolean;
  isSuccess: boolean;
  refetch: () => unknown;
};

type Props = ListProps & {
  title: string;
  lead: string;
  /** Links and buttons beside the title. */
  actions?: ReactNode;
  /** Search and filters, in one row above the list. */
  tools: ReactNode;
};

type ListProps = {
  pages: Pages;
  /** Number of rows shown. */
  count: number;
  /** Shown instead of an empty list while more pages can be loaded. */
  sofar?: string;
  empty: ReactNode;
  children: ReactNode;
};

/** Page of a list: title, filters and rows. */
export const ListPage = ({ title, lead, actions, tools, ...list }: Props) => (
  <>
    <PageTitle title={title} lead={lead} actions={actions} />
    {tools}
    <ListCard {...list} />
  </>
);

/** Rows of a list page by page, and the empty state. */
export function ListCard({ pages, count, sofar, empty, children }: ListProps) {
  const isComplete = sofar === undefined || !pages.hasNextPage;
  return (
    <Card>
      {pages.isPending && <Skeleton lines={5} />}
      {pages.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={pages.error} onAgain={() => void pages.refetch()} />
        </div>
      )}
      {count > 0 && children}
      {pages.isSuccess && count === 0 && isComplete && empty}
      {count === 0 && pages.hasNextPage && sofar !== undefined && (
        <p className="px-4 py-6 text-center text-muted">{sofar}</p>
      )}
      <More pages={pages} />
    </Card>
  );
}

type EmptyProps = {
  title: string;
  text: string;
  /** Clears filters that match nothing. Without filters the list is empty, and the next step is an installation. */
  clear?: { label: string; onClear: () => void };
};

export function EmptyList({ title, text, clear }: EmptyProps) {
  const t = useText();
  const may = useMay();
  const install = may('createInstallPlan') && (
    <Link to="/new" className={buttonClass('primary')}>
      {t('nav.install')}
    </Link>
  );
  const action = clear ? <Button onClick={clear.onClear}>{clear.label}</Button> : install;
  return <EmptyState title={title} text={text} action={action} />;
}
