import { useText } from '../../i18n/text.ts';
import { PageTitle } from '../../ui/surface.tsx';

export function InstallPage() {
  const t = useText();
  return <PageTitle title={t('nav.install')} />;
}
