import { useQuery } from '@tanstack/react-query';
import { CornerUpLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import { returnRisk } from '#shared/sources/return-risk';
import { connectLink, describeReturnUri } from '#shared/sources/return-uri';
import { findReturn, markFollowed, settleReturn } from '../api/returns.ts';
import { capabilitiesQuery } from '../api/runner.ts';
import { useText } from '../i18n/text.ts';
import { buttonClass } from '../ui/button.tsx';
import { Card } from '../ui/surface.tsx';
import { ReturnRiskNote } from './return-risk.tsx';

type Props = {
  capsuleId: string;
  /** A successful apply of the Capsule. */
  runId: string;
};

/** Return link to the client whose link started the installation. Only a click of the user follows it. */
export function ReturnOffer({ capsuleId, runId }: Props) {
  const t = useText();
  const [storedReturn] = useState(() => findReturn(capsuleId));
  const capabilities = useQuery(capabilitiesQuery).data;
  const isForThisRun = storedReturn !== undefined && (storedReturn.runId === undefined || storedReturn.runId === runId);
  useEffect(() => {
    if (isForThisRun) settleReturn(capsuleId, runId);
  }, [isForThisRun, capsuleId, runId]);
  if (!isForThisRun || !capabilities) return null;
  const link = connectLink(storedReturn, { hostUrl: new URL(capabilities.apiBaseUrl).origin, runId, capsuleId });
  return (
    <Card className="mb-4 px-4 py-3">
      <h2 className="font-semibold">{t('return.title', { product: storedReturn.product })}</h2>
      <p className="mt-1 max-w-prose text-muted">
        {t('return.text')} {t('return.tells')}
      </p>
      <p className="mt-1.5">
        <code className="font-mono text-xs break-all">{link}</code>
      </p>
      <ReturnRiskNote uri={storedReturn.uri} />
      <a
        href={link}
        rel="noreferrer"
        className={`${buttonClass(returnRisk(storedReturn.uri) ? 'plain' : 'primary')} mt-3 max-w-full break-all`}
        onClick={() => markFollowed(capsuleId)}
      >
        <CornerUpLeft size={16} aria-hidden="true" className="shrink-0" />
        {t('return.go', { place: describeReturnUri(storedReturn.uri).text })}
      </a>
    </Card>
  );
}

/** Note before the apply that a return link will be offered, and where it leads. */
export function ReturnLater({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const [storedReturn] = useState(() => findReturn(capsuleId));
  if (!storedReturn || storedReturn.runId !== undefined) return null;
  return (
    <p className="my-3 text-sm text-muted">
      {t('return.later', { product: storedReturn.product })}{' '}
      <code className="font-mono break-all">{storedReturn.uri}</code>
    </p>
  );
}
