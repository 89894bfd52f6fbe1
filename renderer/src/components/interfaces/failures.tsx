import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { MaterializationFailure } from '#shared/interfaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { interfaceFailuresQuery } from '../../api/interfaces.ts';
import { invalidateRecord } from '../../api/queries.ts';
import { capsuleQuery } from '../../api/records.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Allowed } from '../allowed.tsx';
import { ErrorNote } from '../error-note.tsx';

/** Interfaces that could not be created after an apply, of one Capsule or of all. Renders nothing when there are none. */
export function InterfaceFailures({ capsuleId }: { capsuleId?: string }) {
  const failures = useQuery(interfaceFailuresQuery(useWorkspaceId())).data ?? [];
  const shown = failures.filter((failure) => capsuleId === undefined || failure.capsuleId === capsuleId);
  return (
    <div className="mb-4 flex flex-col gap-3 empty:hidden">
      {shown.map((failure) => (
        <Failure key={failure.id} failure={failure} namesCapsule={capsuleId === undefined} />
      ))}
    </div>
  );
}

function Failure({ failure, namesCapsule }: { failure: MaterializationFailure; namesCapsule: boolean }) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const { id: intentId, capsuleId, failureDigest, stateVersionId, stateGeneration, error } = failure;
  const capsule = useQuery(capsuleQuery(capsuleId)).data;
  const retry = useIntent(async (keyOf) => {
    const body = { failureDigest, stateVersionId, stateGeneration };
    await api.retryMaterialization({ params: { workspaceId, intentId }, body }, keyOf('retry'));
    invalidateRecord({ kind: 'capsule', id: capsuleId });
  });
  return (
    <Note tone="bad" title={t('interfaces.failure.title')}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72">
          {namesCapsule && capsule && (
            <Link to="/capsules/$id/interfaces" params={{ id: capsuleId }} className="font-medium underline">
              {visibleText(capsule.name)}
            </Link>
          )}{' '}
          {t(`interfaces.failure.${error.code}`)}
        </p>
        <Allowed to="retryMaterialization">
          <Button busy={retry.isBusy} onClick={() => void retry.run()}>
            {t('error.again')}
          </Button>
        </Allowed>
      </div>
      {retry.error !== undefined && <ErrorNote error={retry.error} />}
    </Note>
  );
}
