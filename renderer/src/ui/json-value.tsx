import { ExternalLink } from 'lucide-react';
import { writeJson } from '#shared/kernel/exact-number';
import { useText } from '../i18n/text.ts';
import { webAddress } from './address.ts';
import { CopyButton } from './copy-button.tsx';
import { visibleText } from './visible-text.ts';

const box =
  'max-h-72 min-w-0 flex-1 overflow-auto rounded-md bg-raised px-3 py-2 font-mono text-xs whitespace-pre-wrap break-words';

const plainText = (value: unknown): string => (typeof value === 'string' ? value : writeJson(value, 2));

/** An external link. It opens in a new tab without a referrer. */
export function OuterLink({ href, children }: { href: string; children?: string }) {
  const t = useText();
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className="min-w-0 break-all text-accent underline-offset-2 hover:underline"
    >
      {children ?? visibleText(href)}
      <ExternalLink size={14} aria-hidden="true" className="ml-1 inline-block align-[-0.125em]" />
      <span className="sr-only">({t('newtab')})</span>
    </a>
  );
}

/** Any untrusted JSON value: a web address as a link, a short value in a line, the rest in a scrolling box. */
export function JsonValue({ value, name }: { value: unknown; name: string }) {
  const text = plainText(value);
  const href = webAddress(value);
  const isLong = text.length > 120 || text.includes('\n');
  return (
    <div className={`flex min-w-0 gap-2 ${isLong ? 'items-start' : 'items-center'}`}>
      {href && <OuterLink href={href} />}
      {!href && isLong && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
        <pre tabIndex={0} className={box}>
          {visibleText(text)}
        </pre>
      )}
      {!href && !isLong && <span className="min-w-0 font-mono break-all">{visibleText(text) || '""'}</span>}
      <CopyButton text={text} what={name} />
    </div>
  );
}
