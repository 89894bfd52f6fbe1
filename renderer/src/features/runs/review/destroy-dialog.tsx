import { Confirm } from '../../../components/confirm.tsx';
import { type TextId, useText } from '../../../i18n/text.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import type { Endangered } from './endangered.ts';

type Props = {
  destructiveChanges: Endangered;
  isApproval: boolean;
  isOpen: boolean;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
};

/** Lists what an apply destroys, replaces or forgets, before it starts. */
export function DestroyDialog({ destructiveChanges, isApproval, ...dialog }: Props) {
  const t = useText();
  const { destroyed, replaced, forgotten, count } = destructiveChanges;
  const isLoss = count > forgotten.length;
  const unnamed = count - destroyed.length - replaced.length - forgotten.length;
  return (
    <Confirm
      {...dialog}
      title={t(isLoss ? 'run.destroy.title' : 'run.forget.title', { count: isLoss ? count - forgotten.length : count })}
      action={t(isApproval ? 'run.review.approveApply' : 'run.review.apply')}
    >
      <p>{t(isLoss ? 'run.destroy.text' : 'run.forget.text')}</p>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
        tabIndex={0}
        aria-label={t('run.destroy.list')}
        className="mt-3 flex max-h-64 flex-col gap-3 overflow-auto rounded-md border border-line p-3 text-ink"
      >
        <Addresses text="run.destroy.destroyed" tone="text-bad" addresses={destroyed} />
        <Addresses text="run.destroy.replaced" tone="text-replace" addresses={replaced} />
        <Addresses text="run.destroy.forgotten" tone="text-warn" addresses={forgotten} />
        {unnamed > 0 && <p className="text-muted">{t('run.destroy.unnamed', { count: unnamed })}</p>}
      </section>
    </Confirm>
  );
}

function Addresses({ text, tone, addresses }: { text: TextId; tone: string; addresses: readonly string[] }) {
  const t = useText();
  if (addresses.length === 0) return null;
  return (
    <div>
      <h3 className={`text-sm font-semibold ${tone}`}>{t(text, { count: addresses.length })}</h3>
      <ul className="mt-1 flex flex-col gap-0.5 font-mono text-xs break-all">
        {addresses.map((address) => (
          <li key={address}>{visibleText(address)}</li>
        ))}
      </ul>
    </div>
  );
}
