import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { runQuery } from '../../api/records.ts';
import { whenKnown } from '../../api/when-known.ts';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { AddressForm } from './address-form.tsx';
import { AddressSummary } from './address-summary.tsx';
import { useWaitingFocus } from './arrival-focus.ts';
import {
  clearInspection,
  type Failure,
  type Inspection,
  readFailure,
  readInspection,
  saveInspection,
} from './inspection.ts';
import { InspectionProgress } from './inspection-progress.tsx';
import { type Decision, InstalledFirst } from './installed.tsx';
import { ModuleStep } from './module-step.tsx';
import { ToolOffer } from './tool-offer.tsx';

/** Leads from an address to the inputs of one module. Nothing is fetched before the user asks for it. */
export function Flow({ packed }: { packed: string | undefined }) {
  const navigate = useNavigate();
  const [inspection, setInspection] = useState(() => readInspection(packed));
  const [isChanging, setChanging] = useState(false);
  const [decision, setDecision] = useState<Decision>();
  const failure = readFailure(packed);
  const run = useQuery(whenKnown(inspection ? inspection?.syncRunId : undefined, runQuery));
  const start = (next: Inspection) => {
    saveInspection(next);
    setInspection(next);
    setDecision(undefined);
    setChanging(false);
    if (next.packed !== packed) void navigate({ to: '/new', search: { url: next.packed } });
  };
  const choose = (modulePath: string | undefined) => {
    if (!inspection) return;
    const { modulePath: _before, prefill, ...rest } = inspection;
    const { path: _path, ...others } = prefill ?? {};
    // A module that the user chooses overrides the one in the link.
    const chosen = { ...rest, prefill: others, ...(modulePath !== undefined && { modulePath }) };
    saveInspection(chosen);
    setInspection(chosen);
  };
  const hasFailed = run.data?.status === 'failed' || run.data?.status === 'cancelled';
  const isGone = run.error instanceof ApiError;
  const isAsking = !inspection || isChanging || hasFailed || isGone;
  return (
    <div className="flex flex-col gap-4">
      <ToolOffer />
      {failure && <LastFailure message={failure.message} />}
      {isAsking ? (
        <AddressForm
          initial={inspection?.address ?? packed}
          onInspect={start}
          {...(inspection && isChanging && { onBack: () => setChanging(false) })}
        />
      ) : (
        <AddressSummary inspection={inspection} run={run.data} onChange={() => setChanging(true)} onInspect={start} />
      )}
      {inspection && !isChanging && (
        <Inside>
          {run.isError && <ErrorNote error={run.error} onAgain={() => (isGone ? reset() : void run.refetch())} />}
          {!isGone && run.data?.status !== 'succeeded' && (
            <InspectionProgress inspection={inspection} run={run.data} onInspect={start} />
          )}
          {run.data?.status === 'succeeded' && run.data.sourceSnapshotId !== undefined && (
            <InstalledFirst
              sourceId={inspection.sourceId}
              decision={failure?.capsuleId === undefined ? decision : {}}
              onDecide={setDecision}
            >
              <ModuleStep
                key={decision?.changedId}
                inspection={inspection}
                snapshotId={run.data.sourceSnapshotId}
                commit={run.data.resolvedCommit}
                failure={changeOf(inspection, decision) ?? failure}
                onChoose={choose}
                onScope={start}
              />
            </InstalledFirst>
          )}
        </Inside>
      )}
    </div>
  );
  function reset() {
    clearInspection();
    setInspection(undefined);
  }
}

/** Form of an installed Capsule instead of the one for a new installation. */
const changeOf = ({ packed }: Inspection, decision: Decision | undefined): Failure | undefined =>
  decision?.changedId === undefined
    ? undefined
    : { packed, message: '', variables: {}, capsuleId: decision.changedId, isChange: true };

/**
 * Result of the inspection, from the first line of the sync to the inputs. It takes the focus, because the button that
 * started it is gone.
 */
function Inside({ children }: { children: ReactNode }) {
  const t = useText();
  const waiting = useWaitingFocus<HTMLFieldSetElement>();
  return (
    <fieldset {...waiting} aria-label={t('install.inside')} className="flex min-w-0 flex-col gap-4 outline-none">
      {children}
    </fieldset>
  );
}

const LastFailure = ({ message }: { message: string }) => {
  const t = useText();
  return (
    <Note tone="bad" title={t('install.lastFailed')}>
      <p lang="en" className="break-words">
        {visibleText(message)}
      </p>
    </Note>
  );
};
