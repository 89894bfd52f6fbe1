import { Star } from 'lucide-react';
import type { Capsule } from '#shared/capsules/contract';
import { useFavorite } from '../api/favorites.ts';
import { useText } from '../i18n/text.ts';
import { visibleText } from '../ui/visible-text.ts';
import { ErrorNote } from './error-note.tsx';

/** Switch that makes a Capsule a favorite of the signed-in account. */
export function FavoriteStar({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const { isFavorite, error, toggle } = useFavorite(capsule);
  const label = t('favorites.star', { name: visibleText(capsule.name) });
  return (
    <span className="relative z-10 inline-flex flex-col">
      <button
        type="button"
        aria-pressed={isFavorite ?? false}
        aria-label={label}
        title={label}
        onClick={toggle}
        className="inline-grid size-7 place-items-center rounded-md text-muted hover:bg-raised hover:text-ink aria-pressed:text-warn"
      >
        <Star size={16} aria-hidden="true" fill={isFavorite ? 'currentColor' : 'none'} />
      </button>
      {error && <ErrorNote error={error} />}
    </span>
  );
}
