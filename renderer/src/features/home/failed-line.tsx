import type { ReactNode } from 'react';
import { Pill } from '../../ui/pill.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Line } from './section.tsx';

type Props = {
  label: string;
  at: string;
  text: string;
  detail?: string | undefined;
  /** Action that replaces the link of the row. */
  more?: ReactNode;
  children: ReactNode;
};

/** A failure with its remedy. */
export const FailedLine = ({ label, at, text, detail, more, children }: Props) => (
  <Line
    aside={
      <>
        <Pill tone="bad">{label}</Pill>
        <Since at={at} />
      </>
    }
  >
    {children}
    <p className="mt-0.5 text-muted">{text}</p>
    {detail !== undefined && (
      <p lang="en" className="text-xs break-words text-muted">
        {visibleText(detail)}
      </p>
    )}
    {more && <p className="relative z-10 mt-0.5 w-fit">{more}</p>}
  </Line>
);
