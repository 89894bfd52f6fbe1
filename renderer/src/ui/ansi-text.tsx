import { readAnsi } from './ansi.ts';
import './ansi.css';
import { visibleText } from './visible-text.ts';

/** A stranger's text in the colours that it asks for; everything else that a terminal would do is shown as it is. */
export function AnsiText({ text }: { text: string }) {
  let at = 0;
  return readAnsi(text).map(({ text: part, className }) => {
    at += part.length;
    return (
      <span key={at} className={className || undefined}>
        {visibleText(part)}
      </span>
    );
  });
}
