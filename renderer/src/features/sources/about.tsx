import type { Source } from '#shared/sources/contract';
import { useText } from '../../i18n/text.ts';
import { addressText, webAddress } from '../../ui/address.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { OuterLink } from '../../ui/json-value.tsx';
import { FolderName, RefName } from '../../ui/lane.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { SourceAccess } from './access.tsx';
import { codeHostName } from './code-host-name.ts';

/** Address, ref and path of a Source. */
export function AboutSource({ source }: { source: Source }) {
  const t = useText();
  const { url, codeHost, defaultRef, defaultPath, createdAt, id } = source;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('source.about')}</h2>
      <Facts
        items={[
          { term: t('source.address'), value: <Address url={url} /> },
          { term: 'Ref', value: <RefName name={defaultRef} /> },
          { term: t('source.path'), value: <FolderName path={defaultPath} /> },
          ...(codeHost === 'none' ? [] : [{ term: t('code.host.term'), value: codeHostName(codeHost) }]),
          { term: t('access.term'), value: <SourceAccess source={source} /> },
          { term: t('source.created'), value: <Since at={createdAt} /> },
          { term: 'ID', value: <ShortId id={id} what="ID" length={14} /> },
        ]}
      />
    </Card>
  );
}

function Address({ url }: { url: string }) {
  const t = useText();
  return (
    <span className="flex items-start gap-1">
      {webAddress(url) ? <OuterLink href={url} /> : <span className="min-w-0 break-all">{addressText(url)}</span>}
      <CopyButton text={url} what={t('source.address')} />
    </span>
  );
}
