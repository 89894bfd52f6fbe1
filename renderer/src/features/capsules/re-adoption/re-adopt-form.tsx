import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import { writeJson } from '#shared/kernel/exact-number';
import type { SourceSnapshot } from '#shared/sources/contract';
import { ApiError, api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { configOfCapsuleQuery, snapshotsQuery } from '../../../api/records.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import type { Entries } from '../../../components/inputs/entry.ts';
import { focusFirst, Inputs } from '../../../components/inputs/inputs.tsx';
import { findProblems, valuesOf } from '../../../components/inputs/values.ts';
import { More } from '../../../components/more.tsx';
import { ReasonField } from '../../../components/reason-field.tsx';
import { compatibilityTexts } from '../../../components/status-text.ts';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { inputClass, Labelled } from '../../../ui/controls.tsx';
import { Card, Note, Skeleton } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { changedNames } from '../configuration/changes.ts';
import { CurrentValues } from '../configuration/current-values.tsx';
import { currentEntries, loadTarget, type Target } from './target.ts';

type Props = {
  capsule: Capsule;
  configuration: CapsuleConfiguration;
  modulePath: string;
  onDone: () => void;
  onCancel: () => void;
};
const maxReasonLength = 256;

/** Names the snapshot, its inputs and the reason of a re-adoption. */
export function ReAdoptForm({ capsule, configuration, modulePath, onDone, onCancel }: Props) {
  const t = useText();
  const [snapshotId, setSnapshotId] = useState('');
  const config = useQuery(configOfCapsuleQuery(capsule.id)).data;
  const isFromManifest = config?.installExperience?.repositoryInstallUx !== undefined;
  const target = useQuery({
    ...whenKnown(config && snapshotId !== '' ? snapshotId : undefined, (id) => ({
      queryKey: ['re_adoption', capsule.id, id],
      queryFn: () =>
        loadTarget(
          { sourceId: capsule.sourceId, snapshotId: id, modulePath, capsuleName: capsule.name },
          isFromManifest,
        ),
    })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <Card>
      <h2 ref={heading} tabIndex={-1} className="border-b border-line px-4 py-3 font-semibold outline-none">
        {t('readopt.title')}
      </h2>
      <div className="flex flex-col gap-3 px-4 py-3">
        <p className="max-w-prose text-sm text-muted">{t('readopt.text')}</p>
        <SnapshotField capsule={capsule} value={snapshotId} onChange={setSnapshotId} />
      </div>
      {target.isError && (
        <div className="px-4 pb-3">
          <ErrorNote error={target.error} onAgain={() => void target.refetch()} />
        </div>
      )}
      {target.isLoading && <Skeleton lines={4} />}
      {target.data && target.data.report.level !== 'ready' && (
        <div className="px-4 pb-3">
          <Note tone="bad" title={t(compatibilityTexts[target.data.report.level].text)}>
            {t('readopt.notReady')}
          </Note>
        </div>
      )}
      {target.data?.report.level === 'ready' ? (
        <ReviewForm
          key={snapshotId}
          capsule={capsule}
          configuration={configuration}
          target={target.data}
          onDone={onDone}
          onCancel={onCancel}
        />
      ) : (
        <div className="border-t border-line px-4 py-3">
          <Button onClick={onCancel}>{t('cancel')}</Button>
        </div>
      )}
    </Card>
  );
}

type SnapshotFieldProps = { capsule: Capsule; value: string; onChange: (id: string) => void };

function SnapshotField({ capsule, value, onChange }: SnapshotFieldProps) {
  const t = useText();
  const id = useId();
  const query = useInfiniteQuery(snapshotsQuery(capsule.sourceId));
  const path = capsule.adoptedSourceRevision?.path;
  const snapshots = query.data?.pages.flatMap((page) => page.snapshots) ?? [];
  const nameOf = ({ id: snapshotId, ref, resolvedCommit, fetchedAt }: SourceSnapshot): string => {
    const isNow = snapshotId === capsule.adoptedSourceRevision?.sourceSnapshotId;
    const facts = [visibleText(ref), resolvedCommit.slice(0, 8), new Date(fetchedAt).toLocaleString()];
    return [...facts, ...(isNow ? [t('readopt.snapshot.now')] : [])].join(' · ');
  };
  const ofPath = snapshots.filter((snapshot) => path === undefined || snapshot.path === path);
  if (query.isLoadingError) return <ErrorNote error={query.error} onAgain={() => void query.refetch()} />;
  const isEmpty = query.isSuccess && ofPath.length === 0 && !query.hasNextPage;
  return (
    <div>
      <Labelled
        id={id}
        label={t('readopt.snapshot')}
        help={t(isEmpty ? 'readopt.snapshot.none' : 'readopt.snapshot.help')}
      >
        <select id={id} className={inputClass} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{t('readopt.snapshot.choose')}</option>
          {ofPath.map((snapshot) => (
            <option key={snapshot.id} value={snapshot.id}>
              {nameOf(snapshot)}
            </option>
          ))}
        </select>
      </Labelled>
      <More pages={query} />
    </div>
  );
}

type ReviewProps = Pick<Props, 'capsule' | 'configuration' | 'onDone' | 'onCancel'> & { target: Target };

/** All inputs that are not secret, with the current values; what is left empty is unset. */
function ReviewForm({ capsule, configuration: latest, target, onDone, onCancel }: ReviewProps) {
  const t = useText();
  const { report, form, fields } = target;
  // The server compares with the configuration that the person saw, not with a newer one.
  const [configuration, setConfiguration] = useState(latest);
  const [entries, setEntries] = useState<Entries>(() => currentEntries(configuration, fields));
  const [reason, setReason] = useState('');
  const [showErrors, setShowErrors] = useState(false);
  const [isOpen, setOpen] = useState(true);
  const wrong = findProblems(fields, entries);
  const isReasonMissing = reason.trim() === '';
  const move = useIntent(async (keyOf) => {
    const body = {
      baseInstallConfigId: configuration.installConfigId,
      sourceSnapshotId: report.sourceSnapshotId,
      reason: reason.trim(),
      reviewedUserVariables: valuesOf(fields, entries).variables as Record<string, never>,
      expected: { authorityGuard: configuration.change.authorityGuard },
    };
    await api.reAdopt({ params: { capsuleId: capsule.id }, body }, keyOf(writeJson(body)));
    invalidateRecord({ kind: 'capsule', id: capsule.id });
    onDone();
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (wrong.length > 0) return focusFirst(wrong[0]);
    if (!isReasonMissing) void move.run();
  };
  return (
    <form noValidate onSubmit={submit} aria-label={t('readopt.title')} className="border-t border-line">
      {fields.length === 0 ? (
        <p className="px-4 py-3 text-sm text-muted">{t('readopt.noInputs')}</p>
      ) : (
        <Inputs
          form={form}
          inputs={fields}
          entries={entries}
          showErrors={showErrors}
          planMessages={messagesOf(move.error)}
          isOpen={isOpen}
          onOpen={setOpen}
          onChange={(name, changed) => setEntries((now) => ({ ...now, [name]: { ...now[name], ...changed } }))}
        />
      )}
      <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
        <ReasonField
          label={t('readopt.reason')}
          help={t('readopt.reason.help')}
          problem={showErrors && isReasonMissing ? t('readopt.reason.missing') : undefined}
          value={reason}
          maxLength={maxReasonLength}
          onChange={setReason}
        />
        {latest.change.authorityGuard !== configuration.change.authorityGuard && (
          <CurrentValues
            base={configuration}
            latest={latest}
            onLoad={async () => {
              const changed = new Set(changedNames(configuration, latest));
              const newer = Object.entries(currentEntries(latest, fields)).filter(([name]) => changed.has(name));
              setConfiguration(latest);
              setEntries((now) => ({ ...now, ...Object.fromEntries(newer) }));
              move.reset();
            }}
          />
        )}
        {move.error !== undefined && <ErrorNote error={move.error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" busy={move.isBusy}>
            {t('readopt.submit')}
          </Button>
          <Button onClick={onCancel} disabled={move.isBusy}>
            {t('cancel')}
          </Button>
        </div>
      </div>
    </form>
  );
}

/** The message of the server beside the input that it refused. */
function messagesOf(error: unknown): Record<string, string> {
  const field = error instanceof ApiError ? String(error.details['field']) : '';
  const name = /^\/reviewedUserVariables\/([^/]+)/.exec(field)?.[1];
  return name === undefined || !(error instanceof ApiError) ? {} : { [name]: error.message };
}
