import { useText } from '../i18n/text.ts';
import { setSingleKeys, useSingleKeys } from '../ui/keys/single-keys.ts';

/** Turns keys without Control or Command on or off, in this browser. */
export function SingleKeysChoice() {
  const t = useText();
  return (
    <label className="flex cursor-pointer items-start gap-2">
      <input
        type="checkbox"
        className="mt-0.5 size-4 accent-accent"
        checked={useSingleKeys()}
        onChange={({ target }) => setSingleKeys(target.checked)}
      />
      <span>
        {t('keys.single')}
        <span className="block text-xs text-muted">{t('keys.single.text')}</span>
      </span>
    </label>
  );
}
