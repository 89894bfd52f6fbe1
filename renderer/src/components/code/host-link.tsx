import { useQuery } from '@tanstack/react-query';
import { type CodeLinks, codeLinksOf } from '#shared/sources/code-host';
import { sourceQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { useText } from '../../i18n/text.ts';
import { OuterLink } from '../../ui/json-value.tsx';

type Props = { sourceId: string | undefined; to: (links: CodeLinks) => string };

/** Link to a page of the code host of a Source; nothing for hosts that are not known. */
export function HostLink({ sourceId, to }: Props) {
  const t = useText();
  const source = useQuery(whenKnown(sourceId, sourceQuery)).data;
  const links = source && codeLinksOf(source);
  if (links === undefined) return null;
  return <OuterLink href={to(links)}>{t('commit.onHost', { host: links.host })}</OuterLink>;
}
