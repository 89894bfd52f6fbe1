import { Fragment, type ReactNode } from 'react';

export type Fact = { term: string; value: ReactNode };

/** List of terms and descriptions in two columns; in one column on a narrow screen. */
export const Facts = ({ items }: { items: readonly Fact[] }) => (
  <dl className="grid grid-cols-1 gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[max-content_minmax(0,1fr)] sm:gap-y-2">
    {items.map(({ term, value }) => (
      <Fragment key={term}>
        <dt className="text-xs text-muted sm:py-px sm:text-sm">{term}</dt>
        <dd className="mb-2 min-w-0 break-words sm:mb-0">{value}</dd>
      </Fragment>
    ))}
  </dl>
);
