import { useId } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useMay } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';

/** Switch for automatic updates. Plans that need a decision still wait for the user. */
export function AutoUpdate({ capsule }: { capsule: Capsule }) {
  const t = useText();
  const id = useId();
  const change = useIntent(async (keyOf, autoUpdate: boolean) => {
    await api.updateCapsule({ params: { capsuleId: capsule.id }, body: { autoUpdate } }, keyOf(String(autoUpdate)));
    invalidateRecord({ kind: 'capsule', id: capsule.id });
  });
  const may = useMay();
  return (
    <>
      <label htmlFor={id} className="flex items-center gap-2">
        <input
          id={id}
          type="checkbox"
          className="size-4 accent-accent"
          checked={capsule.autoUpdate ?? false}
          disabled={change.isBusy || !may('updateCapsule')}
          aria-busy={change.isBusy}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => void change.run(target.checked)}
        />
        {t('capsule.auto')}
      </label>
      <p id={`${id}-help`} className="mt-0.5 text-xs text-muted">
        {t('capsule.auto.text')}
      </p>
      {change.error !== undefined && (
        <div className="mt-2">
          <ErrorNote error={change.error} />
        </div>
      )}
    </>
  );
}
