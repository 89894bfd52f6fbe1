import type { Interface } from '#shared/interfaces/contract';
import { useIntent } from '../../api/intent.ts';
import { fetchOpenable } from '../../api/interfaces.ts';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ErrorNote } from '../error-note.tsx';
import { addressOf } from './interface-text.ts';

type Props = {
  app: Interface;
  isPrimary?: boolean;
  /** Called when the app may not be opened any more, or has another address than the one shown. */
  onRefused: (app: Interface) => void;
};

/** Opens an app in a new tab, after the server has confirmed that the person may open it at the address that is shown. */
export function OpenApp({ app, isPrimary = false, onRefused }: Props) {
  const t = useText();
  const address = addressOf(app);
  const opening = useIntent(async (_keyOf, shown: string) => {
    const current = await fetchOpenable(app);
    if (current && addressOf(current) === shown) openTab(shown);
    else onRefused(app);
  });
  if (address === undefined) return <span className="text-muted">{t('apps.noAddress')}</span>;
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        variant={isPrimary ? 'primary' : 'plain'}
        busy={opening.isBusy}
        aria-label={t('apps.open.of', { name: visibleText(app.name) })}
        onClick={() => void opening.run(address)}
      >
        {t('apps.open')}
      </Button>
      {opening.error !== undefined && <ErrorNote error={opening.error} />}
    </div>
  );
}

/** Opens an address in a new tab that gets neither a referrer nor a handle of this one. */
function openTab(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
  link.click();
}
