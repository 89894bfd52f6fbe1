import { returnRisk } from '#shared/sources/return-risk';
import { describeReturnUri, type ReturnTarget } from '#shared/sources/return-uri';
import { ReturnRiskNote } from '../../../components/return-risk.tsx';
import { useText } from '../../../i18n/text.ts';
import { Code } from './host.tsx';

/** Return target of a client: first the origin of the web page or the scheme of the app, then the full address. */
export function ReturnFact({ target }: { target: ReturnTarget }) {
  const t = useText();
  const destination = describeReturnUri(target.uri);
  return (
    <>
      <p>
        <Code>{destination.text}</Code>{' '}
        {returnRisk(target.uri) === undefined && (
          <span className="text-muted">{t(destination.kind === 'web' ? 'link.returnWeb' : 'link.returnApp')}</span>
        )}
      </p>
      <p className="text-sm text-muted">
        <Code>{target.uri}</Code>
      </p>
      <p className="mt-1 max-w-prose text-sm text-muted">{t('link.returnText')}</p>
      <ReturnRiskNote uri={target.uri} />
    </>
  );
}
