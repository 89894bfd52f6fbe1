import { useState } from 'react';
import type { RunGroup } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { runGroupQuery } from '../../api/groups.ts';
import { useIntent } from '../../api/intent.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeCounts } from '../../ui/change-counts.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Refusals } from './refusals.tsx';

type Props = {
  decision: 'apply' | 'approve';
  runGroupId: string;
  plans: readonly RunRow[];
  /** Sends the decision, and returns the group as it is afterwards. */
  send: (
    plans: readonly RunRow[],
    key: Record<'idempotency-key', string>,
  ) => Promise<{ body: { runGroup: RunGroup; runs: RunRow[] } }>;
};

/**
 * Approves or applies plans of a group together. The dialog lists them and their changes first; a plan that becomes
 * ready while it is open is not decided on.
 */
export function GroupDecision({ decision, runGroupId, plans: selected, send }: Props) {
  const t = useText();
  const [listed, setListed] = useState<readonly RunRow[]>();
  const plans = listed ?? selected;
  const intent = useIntent(async (keyOf) => {
    const { body } = await send(plans, keyOf(decision));
    queryClient.setQueryData(runGroupQuery(runGroupId).queryKey, body);
    setListed(undefined);
  });
  const close = () => {
    intent.reset();
    setListed(undefined);
  };
  const count = plans.length;
  return (
    <>
      <Button variant="primary" onClick={() => setListed(selected)}>
        {t(`group.${decision}`, { count })}
      </Button>
      <Confirm
        isOpen={listed !== undefined}
        onClose={close}
        title={t(`group.${decision}.title`, { count })}
        action={t(`group.${decision}`, { count })}
        busy={intent.isBusy}
        error={intent.error}
        onConfirm={() => void intent.run()}
      >
        <p>{t(`group.${decision}.text`)}</p>
        <ul
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls is reached by the keyboard
          tabIndex={0}
          aria-label={t('group.plans')}
          className="mt-3 flex max-h-64 flex-col gap-1 overflow-auto text-ink"
        >
          {plans.map(({ id, capsuleName, summary }) => (
            <li key={id} className="flex flex-wrap justify-between gap-2">
              <span className="break-words">{visibleText(capsuleName ?? id)}</span>
              {summary && <ChangeCounts counts={summary} />}
            </li>
          ))}
        </ul>
        <Refusals error={intent.error} plans={plans} />
      </Confirm>
    </>
  );
}
