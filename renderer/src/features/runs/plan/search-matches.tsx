import { createContext, Fragment, useContext } from 'react';
import { visibleText } from '../../../ui/visible-text.ts';
import { splitAtMatches } from './search.ts';

/** What is looked for in the plan, in lower case; empty when nothing is. */
export const QueryContext = createContext('');
export const useQueryText = (): string => useContext(QueryContext);

/** A stranger's text, safe to read, with what is looked for marked in it. */
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
