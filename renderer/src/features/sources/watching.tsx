import { useId } from 'react';
import type { RunRow } from '#shared/runs/contract';
import type { Source } from '#shared/sources/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { useMay } from '../../api/role.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { Help } from '../../ui/controls.tsx';
import { Card } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { Webhook } from './webhook.tsx';

type Props = { source: Source; newest: RunRow | undefined };

/** Switch for automatic sync: once an hour, and on every push that the Git host reports. */
export function WatchSource({ source, newest }: Props) {
  const t = useText();
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('watch.title')}</h2>
      <div className="flex flex-col gap-4 p-4">
        <AutoSync source={source} />
        {newest && <LastCheck run={newest} />}
        <Webhook source={source} />
      </div>
    </Card>
  );
}

function AutoSync({ source }: { source: Source }) {
  const t = useText();
  const id = useId();
  const may = useMay();
  const isOff = source.status === 'disabled';
  const change = useIntent(async (keyOf, autoSync: boolean) => {
    await api.updateSource({ params: { sourceId: source.id }, body: { autoSync } }, keyOf(String(autoSync)));
    invalidateRecord({ kind: 'source', id: source.id });
  });
  return (
    <div>
      <label htmlFor={id} className="flex items-center gap-2 font-medium">
        <input
          id={id}
          type="checkbox"
          className="size-4 accent-accent"
          checked={source.autoSync}
          disabled={isOff || change.isBusy || !may('updateSource')}
          aria-busy={change.isBusy}
          aria-describedby={`${id}-help`}
          onChange={({ target }) => void change.run(target.checked)}
        />
        {t('watch.auto')}
      </label>
      <Help id={`${id}-help`}>{t(isOff ? 'watch.auto.off' : 'watch.auto.text')}</Help>
      {change.error !== undefined && (
        <div className="mt-2">
          <ErrorNote error={change.error} />
        </div>
      )}
    </div>
  );
}

function LastCheck({ run }: { run: RunRow }) {
  const t = useText();
  const who = useWho();
  return (
    <p className="text-sm text-muted">
      {t('watch.last')} <Since at={run.finishedAt ?? run.createdAt} /> · {who(run.createdBy, run.trigger)}
    </p>
  );
}
