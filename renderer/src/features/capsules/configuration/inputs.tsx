import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { Dependency } from '#shared/dependencies/contract';
import type { CompatibilityReport } from '#shared/sources/report';
import { dependenciesQuery } from '../../../api/links.ts';
import { useMay } from '../../../api/role.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { Allowed } from '../../../components/allowed.tsx';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { Card, Note } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { AddInput } from './add-input.tsx';
import { CapsuleName } from './capsule-name.tsx';
import { RemoveInput } from './remove-input.tsx';

type Props = { capsule: Capsule; report: CompatibilityReport | undefined };

/** Dependencies of a Capsule: its inputs from other Capsules and its consumers. */
export function InputLinks({ capsule, report }: Props) {
  const t = useText();
  const query = useQuery(dependenciesQuery(capsule.id));
  const [isAdding, setAdding] = useState(false);
  const [isChanged, setChanged] = useState(false);
  const injected = injectedNamesOf(query.data?.asConsumer ?? []);
  const may = useMay();
  const canAdd = may('createDependency') && capsule.status !== 'destroyed' && !isAdding;
  return (
    <Card>
      <h2 className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5 font-semibold">
        {t('links.title')}
        {canAdd && (
          <button type="button" className={quietClass} onClick={() => setAdding(true)}>
            {t('links.add')}
          </button>
        )}
      </h2>
      {query.isLoadingError && (
        <div className="p-4">
          <ErrorNote error={query.error} onAgain={() => void query.refetch()} />
        </div>
      )}
      {query.data && !(isAdding && injected.size === 0) && (
        <Inputs rows={query.data.asConsumer} onRemoved={() => setChanged(true)} />
      )}
      {isChanged && !isAdding && (
        <div className="border-t border-line p-4">
          <Note>{t('links.changed')}</Note>
        </div>
      )}
      {isAdding && (
        <div className={injected.size > 0 ? 'border-t border-line p-4' : 'p-4'}>
          <AddInput
            capsule={capsule}
            report={report}
            injected={injected}
            onDone={(isCreated) => {
              setAdding(false);
              if (isCreated) setChanged(true);
            }}
          />
        </div>
      )}
      {query.data && query.data.asProducer.length > 0 && <UsedBy rows={query.data.asProducer} />}
    </Card>
  );
}

const injectedNamesOf = (rows: readonly Dependency[]): ReadonlySet<string> =>
  new Set(rows.flatMap(({ outputs }) => Object.values(outputs).map(({ to }) => to)));

function Inputs({ rows, onRemoved }: { rows: readonly Dependency[]; onRemoved: () => void }) {
  const t = useText();
  if (rows.length === 0) return <p className="px-4 py-4 text-muted">{t('links.none')}</p>;
  return (
    <ul aria-label={t('links.title')} className="divide-y divide-line">
      {rows.map((row) => (
        <li key={row.id} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-2.5">
          <div className="min-w-0">
            <p>
              <CapsuleName id={row.producerCapsuleId} isForeign={row.visibility === 'cross_workspace'} />
            </p>
            <ul>
              {Object.values(row.outputs).map((mapped) => (
                <li key={mapped.to}>
                  <Mapping row={row} mapped={mapped} />
                </li>
              ))}
            </ul>
          </div>
          <Allowed to="deleteDependency">
            <RemoveInput row={row} onRemoved={onRemoved} />
          </Allowed>
        </li>
      ))}
    </ul>
  );
}

type MappingProps = { row: Dependency; mapped: Dependency['outputs'][string] };

function Mapping({ row, mapped }: MappingProps) {
  const t = useText();
  const isState = row.mode === 'remote_state';
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-sm">
      <code className="font-mono break-all">{isState ? t('links.state') : visibleText(mapped.from)}</code>
      <ArrowRight size={14} role="img" aria-label={t('links.into')} className="shrink-0 text-muted" />
      <code className="font-mono break-all">{visibleText(mapped.to)}</code>
      {row.mode === 'published_output' && <span className="text-xs text-muted">{t('links.public')}</span>}
      {!mapped.required && <span className="text-xs text-muted">{t('links.optional')}</span>}
    </span>
  );
}

function UsedBy({ rows }: { rows: readonly Dependency[] }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  return (
    <div className="border-t border-line px-4 py-2.5">
      <h3 className="text-sm font-semibold">{t('links.usedby')}</h3>
      <ul aria-label={t('links.usedby')} className="mt-1 flex flex-col gap-1">
        {rows.map((row) => (
          <li key={row.id} className="flex flex-wrap items-baseline gap-x-2 text-sm">
            <CapsuleName id={row.consumerCapsuleId} isForeign={row.workspaceId !== workspaceId} />
            <span className="break-all text-muted">
              {row.mode === 'remote_state'
                ? t('links.state')
                : Object.values(row.outputs)
                    .map(({ from }) => visibleText(from))
                    .join(', ')}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-1 text-xs text-muted">{t('links.usedby.text')}</p>
    </div>
  );
}
