import { useText } from '../i18n/text.ts';

/** Says that the browser did not allow copying, and what to do instead. */
export function CopyFailed() {
  const t = useText();
  return (
    <span role="alert" className="font-sans text-xs whitespace-normal text-bad">
      {t('copyFailed')}
    </span>
  );
}
