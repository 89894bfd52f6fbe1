import type { MemberRefusal } from '#shared/run-groups/contract';
import type { RunRow } from '#shared/runs/contract';
import { ApiError } from '../../api/client.ts';
import { findText, useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';

/** Names each plan that a decision refused, with its reason. Nothing was done with the others either. */
export function Refusals({ error, plans }: { error: unknown; plans: readonly RunRow[] }) {
  const t = useText();
  const refusals = error instanceof ApiError ? error.details['refusals'] : undefined;
  if (!Array.isArray(refusals)) return null;
  const names = new Map(plans.map(({ id, capsuleName }) => [id, capsuleName ?? id]));
  return (
    <div className="mt-3">
      <p className="font-medium text-ink">{t('group.refused', { count: refusals.length })}</p>
      <ul className="mt-1 flex max-h-48 flex-col gap-2 overflow-auto text-sm">
        {(refusals as MemberRefusal[]).map(({ runId, reason, message }) => {
          const known = reason === 'capsule_held' ? undefined : findText(`refusal.${reason}`);
          return (
            <li key={runId} className="break-words">
              <span className="font-medium text-ink">{visibleText(names.get(runId) ?? runId)}</span>:{' '}
              <span {...(!known && { lang: 'en' })}>{known ? t(known) : visibleText(message)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
