import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Source } from '#shared/sources/contract';
import { useIntent } from '../../api/intent.ts';
import { sourceQuery } from '../../api/records.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { RepositoryAccess } from '../../components/repository-access.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { type Inspection, inspectWithConnection } from './inspection.ts';

type Props = { inspection: Inspection; onInspect: (inspection: Inspection) => void };

/** Adds or selects a token after the host asked for a sign-in, and continues the inspection with it. */
export function PrivateRepository(props: Props) {
  const source = useQuery(sourceQuery(props.inspection.sourceId));
  if (source.isPending) return <Skeleton lines={2} />;
  if (!source.data) return <ErrorNote error={source.error} onAgain={() => void source.refetch()} />;
  return <TokenPrompt key={props.inspection.syncRunId} {...props} source={source.data} />;
}

function TokenPrompt({ inspection, onInspect, source }: Props & { source: Source }) {
  const t = useText();
  // The Connection that the host refused. The Source holds the next one as soon as it is selected.
  const [refusedId] = useState(source.authConnectionId);
  const again = useIntent(async (keyOf, connectionId: string) =>
    onInspect(await inspectWithConnection(inspection, connectionId, keyOf)),
  );
  const hasToken = refusedId !== undefined;
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t(hasToken ? 'access.refused.title' : 'access.title')}</h2>
      <p className="mt-1 mb-4 text-muted">{t(hasToken ? 'access.refused.text' : 'access.text')}</p>
      <RepositoryAccess
        url={inspection.address.url}
        currentId={refusedId}
        isRefused={hasToken}
        use={t('access.tryAgain')}
        busy={again.isBusy}
        error={again.error}
        onUse={(connectionId) => void again.run(connectionId)}
      />
    </Card>
  );
}
