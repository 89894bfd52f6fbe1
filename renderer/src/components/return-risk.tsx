import { returnRisk } from '#shared/sources/return-risk';
import { useText } from '../i18n/text.ts';
import { Note } from '../ui/surface.tsx';

/** A warning where the way back is no app's own address but one that opens a share or starts a program. */
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
