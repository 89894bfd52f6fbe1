import { Dialog } from '@base-ui/react/dialog';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';

const lines: readonly { keys: readonly string[]; text: TextId }[] = [
  { keys: ['j', 'k', '↓', '↑'], text: 'plan.keys.move' },
  { keys: ['Enter', 'Space', 'o'], text: 'plan.keys.toggle' },
  { keys: ['→', '←'], text: 'plan.keys.sides' },
  { keys: ['Home', 'End'], text: 'plan.keys.ends' },
  { keys: ['n', 'p'], text: 'plan.keys.danger' },
  { keys: ['/'], text: 'plan.keys.search' },
  { keys: ['Esc'], text: 'plan.keys.leave' },
  { keys: ['e'], text: 'plan.keys.expand' },
  { keys: ['c'], text: 'plan.keys.collapse' },
  { keys: ['?'], text: 'plan.keys.help' },
];

type Props = {
  isOpen: boolean;
  onClose: () => void;
  keys: { areSingleOn: boolean; chooseSingle: (isOn: boolean) => void };
};

export function KeysHelp({ isOpen, onClose, keys }: Props) {
  const t = useText();
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 max-h-[calc(100vh-2rem)] w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-auto rounded-lg border border-line bg-card p-5 text-ink shadow-xl">
          <Dialog.Title className="text-base font-semibold">{t('plan.keys.title')}</Dialog.Title>
          <dl className="mt-3 flex flex-col">
            {lines.map(({ keys: names, text }) => (
              <div key={text} className="flex items-center justify-between gap-4 border-b border-line/70 py-1.5">
                <dt className="order-2 flex shrink-0 gap-1">
                  {names.map((name) => (
                    <kbd
                      key={name}
                      className="min-w-6 rounded border border-line-strong/60 bg-raised px-1.5 text-center font-mono text-xs leading-5"
                    >
                      {name}
                    </kbd>
                  ))}
                </dt>
                <dd>{t(text)}</dd>
              </div>
            ))}
          </dl>
          <label className="mt-4 flex cursor-pointer items-start gap-2">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent"
              checked={keys.areSingleOn}
              onChange={(event) => keys.chooseSingle(event.target.checked)}
            />
            <span>
              {t('plan.keys.single')}
              <span className="block text-xs text-muted">{t('plan.keys.singleText')}</span>
            </span>
          </label>
          <div className="mt-4 flex justify-end">
            <Button onClick={onClose}>{t('plan.keys.close')}</Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
