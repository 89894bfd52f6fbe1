import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import { providerConnectionsQuery } from '../../api/bindings.ts';
import { recipesQuery } from '../../api/connections.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { shortSource } from '../../ui/provider-text.ts';
import { Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { NewProviderConnection } from '../connection-form/new-provider-connection.tsx';
import { ErrorNote } from '../error-note.tsx';
import { BindingRow } from './binding-row.tsx';
import { boundable, type Chosen, choicesFor, isLikely, keyOfTuple, resolutionOf } from './tuples.ts';

type Props = {
  requirements: readonly ProviderRequirement[];
  resolutions: readonly ProviderResolution[] | undefined;
  chosen: Chosen;
  /** True after the user tried to continue: missing choices are shown as errors. */
  showErrors?: boolean;
  onChange: (chosen: Chosen) => void;
};

/**
 * Provider configurations of a module with their Connections. A missing Connection is created in a dialog, so that
 * nothing typed below is lost.
 */
export function BindingRows({ requirements, resolutions, chosen, showErrors = false, onChange }: Props) {
  const t = useText();
  const connections = useQuery(providerConnectionsQuery(useWorkspaceId()));
  const recipes = useQuery(recipesQuery).data ?? [];
  const [wanted, setWanted] = useState<ProviderRequirement>();
  const all = boundable(requirements);
  if (connections.isPending) return <Skeleton lines={2} />;
  if (connections.isError)
    return (
      <div className="p-4">
        <ErrorNote error={connections.error} onAgain={() => void connections.refetch()} />
      </div>
    );
  const known = { chosen, resolutions, connections: connections.data, recipes };
  const likely = all.filter((one) => isLikely(one, known));
  const others = all.filter((one) => !likely.includes(one));
  const choose = (requirement: ProviderRequirement, connectionId: string | undefined) => {
    const { [keyOfTuple(requirement)]: _before, ...rest } = chosen;
    onChange(connectionId === undefined ? rest : { ...rest, [keyOfTuple(requirement)]: connectionId });
  };
  const rows = (shown: readonly ProviderRequirement[], areLikely: boolean) =>
    shown.map((requirement) => (
      <BindingRow
        key={keyOfTuple(requirement)}
        requirement={requirement}
        choices={choicesFor(requirement, known)}
        chosenId={chosen[keyOfTuple(requirement)]}
        gone={connections.data.find(({ id }) => id === chosen[keyOfTuple(requirement)])}
        resolution={resolutionOf(resolutions, requirement)}
        isLikely={areLikely}
        showErrors={showErrors}
        onChoose={(id) => choose(requirement, id)}
        onNew={() => setWanted(requirement)}
      />
    ));
  return (
    <>
      <div>{rows(likely, true)}</div>
      {others.length > 0 && (
        <details className={likely.length > 0 ? 'border-t border-line' : ''}>
          <summary className="cursor-pointer px-4 py-2.5 text-sm font-medium text-muted hover:text-ink">
            {t('binding.others', { count: others.length })}
          </summary>
          <div className="border-t border-line">{rows(others, false)}</div>
        </details>
      )}
      <NewFor
        requirement={wanted}
        onClose={() => setWanted(undefined)}
        onCreated={(requirement, { id }) => {
          choose(requirement, id);
          setWanted(undefined);
        }}
      />
    </>
  );
}

type NewForProps = {
  requirement: ProviderRequirement | undefined;
  onClose: () => void;
  onCreated: (requirement: ProviderRequirement, connection: Connection) => void;
};

function NewFor({ requirement, onClose, onCreated }: NewForProps) {
  const t = useText();
  const provider = requirement && shortSource(requirement.providerSource);
  return (
    <Dialog
      isOpen={requirement !== undefined}
      onClose={onClose}
      title={t('form.chooseFor', { provider: visibleText(provider ?? '') })}
    >
      {requirement && provider !== undefined && (
        <NewProviderConnection
          provider={provider}
          submit={t('form.keepAndUse')}
          onCreated={(connection) => onCreated(requirement, connection)}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}
