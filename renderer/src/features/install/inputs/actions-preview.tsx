import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import { LifecycleActionList } from '../../../components/lifecycle-actions.tsx';
import { useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';

/** Exact actions that the operator has declared for the module. */
export function ActionsPreview({ actions }: { actions: readonly LifecycleAction[] }) {
  const t = useText();
  if (actions.length === 0) return null;
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <h2 className="border-b border-line px-4 py-3 text-base font-semibold">{t('action.title')}</h2>
      <div className="flex flex-col gap-3 px-4 py-3.5">
        <p className="text-muted">{t('action.lead')}</p>
        <LifecycleActionList actions={actions} />
      </div>
    </Card>
  );
}
