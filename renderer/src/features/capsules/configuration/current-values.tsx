import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/surface.tsx';
import { changedNames } from './changes.ts';
import { ValueText } from './input-table.tsx';
import { OriginText } from './origin-text.tsx';

type Props = { base: CapsuleConfiguration; latest: CapsuleConfiguration; onLoad: () => Promise<void> };

/** Says that someone else changed the Capsule since the form was opened, and what it has now. Typed values stay. */
export function CurrentValues({ base, latest, onLoad }: Props) {
  const t = useText();
  const names = changedNames(base, latest);
  const changed = latest.inputs.filter(({ name }) => names.includes(name));
  return (
    <Note tone="bad" title={t('configuration.conflict.title')}>
      <p>{t('configuration.conflict.text')}</p>
      {changed.length > 0 && (
        <ul aria-label={t('configuration.conflict.title')} className="mt-2 flex flex-col gap-2">
          {changed.map((input) => (
            <li key={input.name} className="min-w-0">
              <code className="font-semibold break-all">{input.name}</code>
              <ValueText input={input} />
              <p className="text-sm text-muted">
                <OriginText origin={input.origin} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <Button className="mt-3" onClick={() => void onLoad()}>
        {t('configuration.conflict.load')}
      </Button>
    </Note>
  );
}
