import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { CompatibilityReport } from '#shared/sources/report';
import { ApiError, api } from '../../../api/client.ts';
import { useIntent } from '../../../api/intent.ts';
import { invalidateRecord, queryClient } from '../../../api/queries.ts';
import { configOfCapsuleQuery, configurationQuery, reportQuery } from '../../../api/records.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { CredentialsCard, useCredentials } from '../../../components/inputs/credentials.tsx';
import type { Entry } from '../../../components/inputs/entry.ts';
import { focusFirst, Inputs } from '../../../components/inputs/inputs.tsx';
import { findManifestForm, type ManifestForm } from '../../../components/inputs/presented-form.ts';
import { refusedVariable } from '../../../components/inputs/refused-variable.ts';
import { findProblems } from '../../../components/inputs/values.ts';
import { chosenOf } from '../../../components/provider-bindings/tuples.ts';
import { RefusedFields } from '../../../components/refused-fields.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Card, Note, Skeleton } from '../../../ui/surface.tsx';
import { undeclaredNames } from './changes.ts';
import { CurrentValues } from './current-values.tsx';
import { InputTable } from './input-table.tsx';
import { useChange } from './use-change.ts';

type Props = { configuration: CapsuleConfiguration; onClose: () => void };

/** The typed form of a change, once the presentation and the checked module are known. */
export function ChangeForm({ configuration, onClose }: Props) {
  const config = useQuery(configOfCapsuleQuery(configuration.capsuleId));
  const report = useQuery(whenKnown(configuration.compatibilityReportId, reportQuery));
  const error = config.error ?? report.error;
  if (error) return <ErrorNote error={error} onAgain={() => void Promise.all([config.refetch(), report.refetch()])} />;
  if (!config.data || !report.data)
    return (
      <Card>
        <Skeleton lines={5} />
      </Card>
    );
  return (
    <LoadedForm
      configuration={configuration}
      form={findManifestForm(config.data)}
      report={report.data}
      onClose={onClose}
    />
  );
}

type LoadedProps = Props & { form: ManifestForm | undefined; report: CompatibilityReport };

function LoadedForm({ configuration, form: firstForm, report, onClose }: LoadedProps) {
  const t = useText();
  const [form] = useState(firstForm);
  const change = useChange(configuration, form);
  const { base, fields, entries, patch, chosen, setEntry } = change;
  const current = chosenOf(report.providerRequirements ?? [], base.providerBindings);
  const credentials = useCredentials(report, chosen ?? current, namesAfter(base, patch));
  const [showErrors, setShowErrors] = useState(false);
  const [isOpen, setOpen] = useState(true);
  const [messages, setMessages] = useState<Readonly<Record<string, string>>>({});
  const plan = usePlanChange({ base, patch, bindings: credentials.bindings, onSent: change.noteSent, onClose });
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const wrong = findProblems(fields, entries);
  const isSame =
    wrong.length === 0 &&
    Object.keys(patch.set).length + patch.remove.length === 0 &&
    JSON.stringify(chosen ?? current) === JSON.stringify(current);
  const changeEntry = useCallback(
    (name: string, changed: Entry) => {
      setMessages(({ [name]: _answered, ...others }) => others);
      setEntry(name, changed);
    },
    [setEntry],
  );
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (wrong.length > 0 || credentials.blockedCount > 0) return focusFirst(wrong[0]);
    const refused = await plan.send();
    if (refused) setMessages((now) => ({ ...now, [refused[0]]: refused[1] }));
    if (refused) focusFirst(refused[0]);
  };
  const load = async () => {
    const next = await queryClient.fetchQuery({ ...configurationQuery(base.capsuleId), staleTime: 0 });
    const names = change.continueFrom(next);
    setMessages(Object.fromEntries(names.map((name) => [name, t('configuration.changedSince')])));
    plan.reset();
  };
  const isConflict = change.isOutdated || isGuardConflict(plan.error);
  return (
    <form noValidate onSubmit={(event) => void submit(event)} aria-label={t('configuration.change')}>
      <Answer error={plan.error}>
        {isConflict && <CurrentValues base={base} latest={configuration} onLoad={load} />}
        {plan.error !== undefined && !isGuardConflict(plan.error) && <ErrorNote error={plan.error} />}
      </Answer>
      <CredentialsCard credentials={credentials} showErrors={showErrors} onChange={change.setChosen} />
      <Card>
        <h2 ref={heading} tabIndex={-1} className="border-b border-line px-4 py-3 font-semibold outline-none">
          {t('configuration.change')}
        </h2>
        <Undeclared names={undeclaredNames(base)} />
        <Inputs
          form={form}
          inputs={fields}
          entries={entries}
          showErrors={showErrors}
          planMessages={messages}
          isOpen={isOpen}
          onOpen={setOpen}
          onChange={changeEntry}
        />
        <SuppliedInputs configuration={base} form={form} />
        <div className="px-4 pb-3 has-[[hidden]]:hidden">
          <RefusedFields isShown={showErrors} />
        </div>
        <ChangeBar
          isBusy={plan.isBusy}
          isSame={isSame}
          problemCount={showErrors ? wrong.length : 0}
          isBlocked={credentials.blockedCount > 0}
          onClose={onClose}
        />
      </Card>
    </form>
  );
}

/** Answer of the server above the form. It is scrolled to, because a long form hides it. */
function Answer({ error, children }: { error: unknown; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined) box.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <div ref={box} className="mb-4 flex flex-col gap-3 empty:hidden">
      {children}
    </div>
  );
}

/** Names that have a value of their own after the change. */
const namesAfter = ({ inputs }: CapsuleConfiguration, { set, remove }: ReturnType<typeof useChange>['patch']) => [
  ...inputs.filter(({ name, configured }) => configured && !remove.includes(name)).map(({ name }) => name),
  ...Object.keys(set).filter((name) => !inputs.some((input) => input.name === name && input.configured)),
];

const isGuardConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.details['reason'] === 'capsule_install_config_rebind_conflict';

type PlanInput = {
  base: CapsuleConfiguration;
  patch: ReturnType<typeof useChange>['patch'];
  bindings: ReturnType<typeof useCredentials>['bindings'];
  onSent: () => void;
  /** Called when the page of the plan is loaded, and when the person has left it before. */
  onClose: () => void;
};

/** Sends the change and opens its plan. The same content has the same key, so a second click has no second effect. */
function usePlanChange({ base, patch, bindings, onSent, onClose }: PlanInput) {
  const navigate = useNavigate();
  const { capsuleId, change, interfaceBlueprints } = base;
  const [error, setError] = useState<unknown>();
  const intent = useIntent(async (keyOf): Promise<[string, string] | undefined> => {
    const expected = { authorityGuard: change.authorityGuard };
    const body = { variablePatch: patch, providerBindings: [...bindings], interfaceBlueprints, expected };
    try {
      const answer = await api.planConfiguration({ params: { capsuleId }, body }, keyOf(JSON.stringify(body)));
      onSent();
      invalidateRecord({ kind: 'capsule', id: capsuleId });
      await navigate({ to: '/runs/$id', params: { id: answer.body.configurationPlan.planRunId } });
      onClose();
      return undefined;
    } catch (caught) {
      setError(caught);
      const refused = refusedVariable(caught, { removed: patch.remove });
      if (refused) return refused;
      throw caught;
    }
  });
  const reset = () => {
    setError(undefined);
    intent.reset();
  };
  const send = () => {
    setError(undefined);
    return intent.run();
  };
  return { isBusy: intent.isBusy, error, send, reset };
}

/** Values that are not in the form, because another Capsule or the host supplies them. */
function SuppliedInputs({ configuration: { inputs }, form }: Pick<LoadedProps, 'configuration' | 'form'>) {
  const t = useText();
  const supplied = inputs.filter(({ origin, changeable }) => origin.kind === 'dependency' || (!form && !changeable));
  if (supplied.length === 0) return null;
  return (
    <details className="border-t border-line">
      <summary className="cursor-pointer px-4 py-2.5 text-sm font-medium text-muted hover:text-ink">
        {t('configuration.supplied', { count: supplied.length })}
      </summary>
      <InputTable inputs={supplied} />
    </details>
  );
}

function Undeclared({ names }: { names: readonly string[] }) {
  const t = useText();
  if (names.length === 0) return null;
  return (
    <div className="border-b border-line p-4">
      <Note tone="warn">
        {t('configuration.undeclared.removed')} <code className="break-all">{names.join(', ')}</code>
      </Note>
    </div>
  );
}

type BarProps = { isBusy: boolean; isSame: boolean; problemCount: number; isBlocked: boolean; onClose: () => void };

function ChangeBar({ isBusy, isSame, problemCount, isBlocked, onClose }: BarProps) {
  const t = useText();
  const problems = [
    ...(problemCount > 0 ? [t('install.problems', { count: problemCount })] : []),
    ...(isBlocked ? [t('binding.blocked')] : []),
  ];
  const isWrong = problems.length > 0;
  const help = t(isSame ? 'binding.unchanged' : 'binding.planHelp');
  return (
    <div className="sticky bottom-0 z-10 flex flex-wrap items-center gap-3 rounded-b-lg border-t border-line bg-card px-4 py-3">
      <Button type="submit" variant="primary" busy={isBusy} disabled={isSame}>
        {t('configuration.plan')}
      </Button>
      <Button onClick={onClose} disabled={isBusy}>
        {t('cancel')}
      </Button>
      <p role="status" className={`min-w-0 flex-1 basis-44 text-sm ${isWrong ? 'text-bad' : 'text-muted'}`}>
        {isWrong ? problems.join(' ') : help}
      </p>
    </div>
  );
}
