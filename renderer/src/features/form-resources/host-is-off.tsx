import { useText } from '../../i18n/text.ts';
import { Note } from '../../ui/surface.tsx';

/** Shown above Resources that were created while the form host was on. */
export function HostIsOff() {
  const t = useText();
  return (
    <div className="mb-4">
      <Note title={t('formResources.off.title')}>{t('formResources.off.readable')}</Note>
    </div>
  );
}
