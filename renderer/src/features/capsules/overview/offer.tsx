import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Capsule } from '#shared/capsules/contract';
import { isId } from '#shared/kernel/id';
import type { CompatibilityReport } from '#shared/sources/report';
import { api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { workspacesQuery } from '../../../api/links.ts';
import { invalidateRecord } from '../../../api/queries.ts';
import { useWorkspaceId } from '../../../api/session.tsx';
import { FormEnd } from '../../../components/form-end.tsx';
import { type Offered, useOutputsOf } from '../../../components/outputs/producers.ts';
import { focusInvalid } from '../../../components/refused-control.ts';
import { type TextId, useText } from '../../../i18n/text.ts';
import { inputClass, Labelled, Problem } from '../../../ui/controls.tsx';
import { Skeleton } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

type Props = { capsule: Capsule; report: CompatibilityReport | undefined; onDone: () => void };
type Draft = { toWorkspaceId: string; names: ReadonlySet<string>; reason: string };
type Problems = { workspace?: TextId; outputs?: TextId; reason?: TextId };

function problemsOf(draft: Draft, isSensitive: boolean): Problems {
  return {
    ...(!isId('workspace', draft.toWorkspaceId.trim()) && { workspace: 'shares.workspace.wrong' as const }),
    ...(draft.names.size === 0 && { outputs: 'shares.outputs.none' as const }),
    ...(isSensitive && draft.reason.trim() === '' && { reason: 'shares.reason.missing' as const }),
  };
}

/**
 * Selects Outputs and the Workspace that may use them. A sensitive Output requires a reason, which is stored in the
 * history.
 */
export function OfferOutputs({ capsule, onDone }: Props) {
  const t = useText();
  const offered = useOutputsOf(capsule.id, true);
  const workspaceId = useWorkspaceId();
  const [draft, setDraft] = useState<Draft>({ toWorkspaceId: '', names: new Set(), reason: '' });
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isSensitive = offered?.some((one) => one.isSensitive && draft.names.has(one.name)) ?? false;
  const problems = problemsOf(draft, isSensitive);
  const offer = useIntent(async (keyOf) => {
    const body = {
      fromWorkspaceId: workspaceId,
      toWorkspaceId: draft.toWorkspaceId.trim(),
      producerCapsuleId: capsule.id,
      outputs: [...draft.names].map((name) => ({ name })),
      ...(isSensitive && { sensitivePolicy: { allow: true as const, reason: draft.reason.trim() } }),
    };
    const { share } = (await api.createShare({ body }, keyOf('offer'))).body;
    invalidateRecord({ kind: 'output_share', id: share.id });
    onDone();
  });
  const isReady = offered !== undefined;
  useEffect(() => {
    if (isReady) form.current?.querySelector('input')?.focus();
  }, [isReady]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (Object.keys(problems).length === 0) void offer.run();
    else focusInvalid(form.current);
  };
  const change = (part: Partial<Draft>) => {
    if (offer.error !== undefined) offer.reset();
    setDraft({ ...draft, ...part });
  };
  if (!offered) return <Skeleton lines={3} />;
  const field = { draft, change, problems: showErrors ? problems : {} };
  return (
    <form ref={form} noValidate onSubmit={send} className="flex flex-col gap-4" autoComplete="off">
      <WorkspaceField {...field} />
      <OutputsField {...field} offered={offered} />
      {isSensitive && <ReasonField {...field} />}
      <FormEnd save={offer} label={t('shares.offer.submit')} onCancel={onDone} />
    </form>
  );
}

type FieldProps = { draft: Draft; change: (part: Partial<Draft>) => void; problems: Problems };

/** For a Workspace of another account only the id is known; the user's own are offered by name. */
function WorkspaceField({ draft, change, problems }: FieldProps) {
  const t = useText();
  const id = useId();
  const own = useWorkspaceId();
  const others = (useQuery(workspacesQuery).data ?? []).filter((one) => one.id !== own);
  return (
    <Labelled
      id={id}
      label={t('shares.workspace')}
      help={t('shares.workspace.help')}
      problem={problems.workspace && t(problems.workspace)}
    >
      <input
        id={id}
        list={`${id}-list`}
        value={draft.toWorkspaceId}
        placeholder="ws_…"
        spellCheck={false}
        autoCapitalize="none"
        aria-invalid={problems.workspace !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => change({ toWorkspaceId: event.target.value })}
        className={`${inputClass} font-mono`}
      />
      <datalist id={`${id}-list`}>
        {others.map((one) => (
          <option key={one.id} value={one.id}>
            {visibleText(one.displayName)}
          </option>
        ))}
      </datalist>
    </Labelled>
  );
}

function OutputsField({ draft, change, problems, offered }: FieldProps & { offered: readonly Offered[] }) {
  const t = useText();
  const id = useId();
  const toggle = (name: string, isOn: boolean) => {
    const names = new Set(draft.names);
    if (isOn) names.add(name);
    else names.delete(name);
    change({ names });
  };
  return (
    <fieldset className="min-w-0" aria-describedby={problems.outputs && id}>
      <legend className="mb-1 text-sm font-medium">{t('shares.outputs')}</legend>
      {offered.length === 0 && <p className="text-muted">{t('outputs.none')}</p>}
      <div className="flex max-h-72 flex-col overflow-auto">
        {offered.map(({ name, isSensitive }) => (
          <label key={name} className="flex min-h-7 items-start gap-2 py-0.5 text-sm">
            <input
              type="checkbox"
              className="mt-0.5 size-4 shrink-0"
              checked={draft.names.has(name)}
              aria-invalid={problems.outputs !== undefined || undefined}
              onChange={(event) => toggle(name, event.target.checked)}
            />
            <span className="min-w-0">
              <code className="font-mono break-all">{visibleText(name)}</code>
              {isSensitive && <span className="text-muted"> {t('links.sensitive')}</span>}
            </span>
          </label>
        ))}
      </div>
      {problems.outputs && <Problem id={id}>{t(problems.outputs)}</Problem>}
    </fieldset>
  );
}

function ReasonField({ draft, change, problems }: FieldProps) {
  const t = useText();
  const id = useId();
  return (
    <Labelled
      id={id}
      label={t('shares.reason')}
      help={t('shares.reason.help')}
      problem={problems.reason && t(problems.reason)}
    >
      <input
        id={id}
        value={draft.reason}
        maxLength={200}
        aria-invalid={problems.reason !== undefined || undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => change({ reason: event.target.value })}
        className={inputClass}
      />
    </Labelled>
  );
}
