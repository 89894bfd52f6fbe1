import type { RestoreReview } from '#shared/restores/contract';
import { useText } from '../../../i18n/text.ts';
import { Note } from '../../../ui/surface.tsx';

const effects = ['restore.effect.outside', 'restore.effect.stale', 'restore.effect.records'] as const;

const commitTexts = {
  backup: 'restore.effect.commit',
  upload: 'restore.effect.upload',
  late: 'restore.effect.late',
} as const;

/** Lists the effects of an approval. */
export function RestoreEffects({ origin }: { origin: RestoreReview['origin']['kind'] }) {
  const t = useText();
  return (
    <Note title={t('restore.effects')}>
      <ul className="list-disc pl-5">
        <li>{t(commitTexts[origin])}</li>
        {effects.map((effect) => (
          <li key={effect}>{t(effect)}</li>
        ))}
      </ul>
    </Note>
  );
}
