import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { stateVersionQuery } from '../../../api/groups.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { JsonValue } from '../../../ui/json-value.tsx';
import { Skeleton } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** The Outputs of an earlier state, fetched when they are opened. */
export function StateOutputs({ stateVersionId }: { stateVersionId: string }) {
  const t = useText();
  const [isOpen, setOpen] = useState(false);
  const query = useQuery({ ...stateVersionQuery(stateVersionId), enabled: isOpen });
  const outputs = Object.entries(query.data?.output?.workspaceOutputs ?? {}).sort(([a], [b]) => a.localeCompare(b));
  return (
    <details className="mt-1 text-sm" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="w-fit cursor-pointer py-1.5 font-medium text-accent">{t('states.outputs')}</summary>
      {query.isLoading && <Skeleton lines={1} />}
      {query.isError && <ErrorNote error={query.error} onAgain={() => void query.refetch()} />}
      {query.data && outputs.length === 0 && <p className="text-muted">{t('states.outputs.none')}</p>}
      <dl>
        {outputs.map(([name, value]) => (
          <div key={name} className="py-0.5">
            <dt className="font-mono text-xs break-words text-muted">{visibleText(name)}</dt>
            <dd className="min-w-0">
              <JsonValue value={value} name={visibleText(name)} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
