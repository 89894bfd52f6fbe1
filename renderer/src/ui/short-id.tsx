import { CopyButton } from './copy-button.tsx';
import { visibleText } from './visible-text.ts';

/** The first characters of a long id, with the full id as tooltip and for copying. */
export const ShortId = ({ id, what, length = 8 }: { id: string; what: string; length?: number }) => (
  <span className="inline-flex items-center gap-0.5 align-middle">
    <code title={id} className="font-mono text-[0.93em]">
      {visibleText(id.slice(0, length))}
    </code>
    <CopyButton text={id} what={what} />
  </span>
);
