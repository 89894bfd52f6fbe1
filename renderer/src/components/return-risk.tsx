import { returnRisk } from '#shared/sources/return-risk';
import { useText } from '../i18n/text.ts';
import { Note } from '../ui/surface.tsx';

/** Warning about a return target that opens a network share or starts a program instead of an app. */
export function ReturnRiskNote({ uri }: { uri: string }) {
  const t = useText();
  const risk = returnRisk(uri);
  if (risk === undefined) return null;
  return (
    <div className="mt-2">
      <Note tone="warn" title={t(risk === 'share' ? 'return.share' : 'return.program')}>
        {t('return.riskText')}
      </Note>
    </div>
  );
}
