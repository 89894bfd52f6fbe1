import type { ReactNode } from 'react';
import { useText } from '../../../i18n/text.ts';
import { Note } from '../../../ui/surface.tsx';

/**
 * Reports whether a host contains non-ASCII characters. Such a host is shown in punycode, because it may look like
 * another one.
 */
const isInternational = (host: string): boolean => host.split('.').some((part) => part.startsWith('xn--'));

export const Code = ({ children }: { children: ReactNode }) => (
  <code className="font-mono text-[0.93em] break-all">{children}</code>
);

/** Warning about hosts that can be mistaken for others. */
export function HostWarning({ hosts }: { hosts: readonly string[] }) {
  const t = useText();
  const internationalHosts = [...new Set(hosts.filter(isInternational))];
  if (internationalHosts.length === 0) return null;
  return (
    <Note tone="warn" title={t('link.punycode')}>
      {t('link.punycodeText')} <Code>{internationalHosts.join(', ')}</Code>
    </Note>
  );
}
