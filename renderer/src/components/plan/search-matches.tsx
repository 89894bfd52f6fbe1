import { createContext, Fragment, useContext } from 'react';
import { visibleText } from '../../ui/visible-text.ts';
import { splitAtMatches } from './search.ts';

/** Search query of the plan, in lower case; empty when there is none. */
export const QueryContext = createContext('');
export const useQueryText = (): string => useContext(QueryContext);

/** Untrusted text, made safe to read, with the search matches marked. */
export function HighlightedText({ text }: { text: string }) {
  const query = useQueryText();
  const pieces = splitAtMatches(visibleText(text), query);
  if (pieces.length === 1) return pieces[0];
  return pieces.map((piece, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <mark key={index} className="rounded-xs bg-accent text-accent-ink">
        {piece}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never move
      <Fragment key={index}>{piece}</Fragment>
    ),
  );
}
