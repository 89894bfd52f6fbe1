import { useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** The note that people of the Workspace leave for each other. */
export function CapsuleNote({ note }: { note: string }) {
  const t = useText();
  return (
    <Card className="px-4 py-3">
      <h2 className="font-semibold">{t('capsule.note')}</h2>
      <p className="mt-1 max-w-prose break-words whitespace-pre-wrap">{visibleText(note)}</p>
    </Card>
  );
}
