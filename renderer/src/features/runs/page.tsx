import { useText } from '../../i18n/text.ts';
import { PageTitle } from '../../ui/surface.tsx';

export function RunsPage() {
  const t = useText();
  return <PageTitle title={t('nav.runs')} />;
}
