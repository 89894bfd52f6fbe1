import { useText } from '../../i18n/text.ts';
import { PageTitle } from '../../ui/surface.tsx';

export function CapsulesPage() {
  const t = useText();
  return <PageTitle title={t('nav.capsules')} />;
}
