import { readAnsi } from './ansi.ts';
import './ansi.css';
import { visibleText } from './visible-text.ts';

/** Untrusted text with its ANSI colors. Other control sequences are shown as text. */
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
