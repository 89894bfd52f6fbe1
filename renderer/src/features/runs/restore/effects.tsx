import { useText } from '../../../i18n/text.ts';
import { Note } from '../../../ui/surface.tsx';

const effects = ['restore.effect.outside', 'restore.effect.stale', 'restore.effect.records'] as const;

/** Lists the effects of an approval. */
export function RestoreEffects({ isUpload }: { isUpload: boolean }) {
  const t = useText();
  return (
    <Note title={t('restore.effects')}>
      <ul className="list-disc pl-5">
        <li>{t(isUpload ? 'restore.effect.upload' : 'restore.effect.commit')}</li>
        {effects.map((effect) => (
          <li key={effect}>{t(effect)}</li>
        ))}
      </ul>
    </Note>
  );
}
