import { Fragment } from 'react';
import { SingleKeysChoice } from '../components/single-keys-choice.tsx';
import { useText } from '../i18n/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { type KeyGroup, showKeySheet, useKeyGroups, useKeySheet } from '../ui/keys/key-help.ts';
import { everywhereKeys } from './page-keys.ts';

/** All keys of the page. */
export function KeySheet() {
  const t = useText();
  const groups = [...useKeyGroups(), everywhereKeys];
  return (
    <Dialog isOpen={useKeySheet()} onClose={() => showKeySheet(false)} title={t('keys.title')}>
      <div className="flex flex-col gap-4">
        {groups.map((group) => (
          <Keys key={group.title} group={group} />
        ))}
        <SingleKeysChoice />
      </div>
    </Dialog>
  );
}

function Keys({ group: { title, lines } }: { group: KeyGroup }) {
  const t = useText();
  return (
    <section aria-label={t(title)}>
      <h3 className="text-xs font-medium text-muted">{t(title)}</h3>
      <dl className="flex flex-col">
        {lines.map(({ keys, joint, text }) => (
          <div key={text} className="flex items-center justify-between gap-4 border-b border-line/70 py-1.5">
            <dt className="order-2 flex shrink-0 items-center gap-1">
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {joint && index > 0 && <span className="text-xs text-muted">{t(`keys.${joint}`)}</span>}
                  <kbd className="min-w-6 rounded border border-line-strong/60 bg-raised px-1.5 text-center font-mono text-xs leading-5">
                    {key}
                  </kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
