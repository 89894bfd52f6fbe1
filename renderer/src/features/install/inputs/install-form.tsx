import { Link } from '@tanstack/react-router';
import { type FormEvent, useCallback, useState } from 'react';
import type { Import } from '#shared/imports/contract';
import { usePlanRunner } from '../../../api/plan-runner.ts';
import { useMay } from '../../../api/role.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { NoSandboxLine } from '../../../components/how-it-runs.tsx';
import { CredentialsCard, useCredentials } from '../../../components/inputs/credentials.tsx';
import type { Entry, Input } from '../../../components/inputs/entry.ts';
import { focusFirst, Inputs } from '../../../components/inputs/inputs.tsx';
import { usesOutput } from '../../../components/inputs/output-control.tsx';
import type { SavedInputs } from '../../../components/inputs/saved-inputs.ts';
import { findProblems, namesOf } from '../../../components/inputs/values.ts';
import { RefusedFields } from '../../../components/refused-fields.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { Card, Note, Skeleton } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import type { Address } from '../address.ts';
import { useArrivalFocus } from '../arrival-focus.ts';
import type { Checked } from '../checked.ts';
import type { Failure, Prefill } from '../inspection.ts';
import { ActionsPreview } from './actions-preview.tsx';
import { BuildPreview } from './build-preview.tsx';
import { CapsuleFields } from './capsule-fields.tsx';
import { planInputOf } from './request.ts';
import { StateUpload } from './state-upload.tsx';
import { useCapsuleName } from './use-capsule-name.ts';
import { type ExistingCapsule, useExistingCapsule } from './use-existing-capsule.ts';
import { serviceName, useInputs } from './use-inputs.ts';
import { usePlan } from './use-plan.ts';

type Props = {
  address: Address;
  /** Default name of the Capsule. */
  capsuleName: string;
  checked: Checked;
  /** The inspected commit, which is the one to be planned. */
  commit: string | undefined;
  failure: Failure | undefined;
  /** Prefilled values of the install link that opened this form. */
  prefill: Prefill | undefined;
};

const openOptionalUpTo = 8;

/** The inputs of the chosen module, as a form that ends in a plan. */
export function InstallForm(props: Props) {
  const capsule = useExistingCapsule(props.failure?.capsuleId, props.checked.report);
  // Sealed values decide which inputs are missing, so the form waits for the Capsule. Without a response it is a new
  // installation.
  if (capsule.isLoading)
    return (
      <Card>
        <Skeleton lines={5} />
      </Card>
    );
  const changedId = props.failure?.isChange ? props.failure.capsuleId : undefined;
  if (changedId !== undefined && !capsule.data)
    return capsule.isError ? <ErrorNote error={capsule.error} /> : <OtherCommit capsuleId={changedId} />;
  return <LoadedForm {...props} capsule={capsule.data ?? undefined} />;
}

/** An installed Capsule changes its inputs on its own commit and module only. */
function OtherCommit({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  return (
    <Note tone="warn" title={t('installed.other.title')}>
      <p>{t('installed.other.text')}</p>
      <Link to="/capsules/$id" params={{ id: capsuleId }} className={`${buttonClass()} mt-3`}>
        {t('installed.open')}
      </Link>
    </Note>
  );
}

function LoadedForm({
  address,
  capsuleName,
  checked,
  commit,
  failure,
  prefill,
  capsule,
}: Props & { capsule: ExistingCapsule | undefined }) {
  const t = useText();
  const { report } = checked;
  const { form, inputs, saved, setEntry, setPart } = useInputs(checked, capsule);
  const { sourceBuild: build, lifecycleActions = [] } = capsule ?? checked.config ?? {};
  const credentials = useCredentials(report, saved.chosen ?? capsule?.chosen ?? {}, namesOf(inputs, saved.entries));
  const [showErrors, setShowErrors] = useState(false);
  const [isOptionalOpen, setOptionalOpen] = useState(() => startsOpen(inputs, saved));
  const [isNameOpen, setNameOpen] = useState(false);
  const [imported, setImported] = useState<Import>();
  const [planMessages, setPlanMessages] = useState(failure?.variables ?? {});
  const naming = useCapsuleName(prefill?.name ?? serviceName(form, saved.entries) ?? capsuleName, saved);
  const plan = usePlan((name, text) => setPlanMessages((now) => ({ ...now, [name]: text })));
  // The Dependencies of an existing Capsule are changed on its page, and an import creates none.
  const canUseOutputs = useMay()('createDependency') && !capsule && !imported;
  const heading = useArrivalFocus<HTMLHeadingElement>();
  const wrong = findProblems(inputs, saved.entries);
  const isNameWrong = !capsule && (naming.problems.name !== undefined || naming.problems.environment !== undefined);
  const changeEntry = useCallback(
    (name: string, change: Entry) => {
      setPlanMessages(({ [name]: _answered, ...others }) => others);
      setEntry(name, change);
    },
    [setEntry],
  );
  const answers = { entries: saved.entries, bindings: credentials.bindings };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (wrong.length > 0 || isNameWrong || credentials.blockedCount > 0) {
      setNameOpen(isNameWrong || isNameOpen);
      setOptionalOpen(isOptionalOpen || isFoldedWrong(inputs, wrong));
      return focusFirst(credentials.blockedCount > 0 ? undefined : wrong[0]);
    }
    if (plan.isPending || plan.isSuccess) return;
    const target = { address, ...naming, checked, isFromLink: prefill?.isFromLink === true };
    plan.mutate(planInputOf({ capsule, imported, target, returnTo: prefill?.returnTo }, inputs, answers));
  };
  return (
    <form noValidate onSubmit={submit} aria-label={t('install.inputs')}>
      <CredentialsCard credentials={credentials} showErrors={showErrors} onChange={(chosen) => setPart({ chosen })} />
      {build && <BuildPreview build={build} />}
      <ActionsPreview actions={lifecycleActions} />
      <Card>
        <h2 ref={heading} tabIndex={-1} className="border-b border-line px-4 py-3 font-semibold outline-none">
          {t('install.inputs')}
        </h2>
        <Inputs
          form={form}
          inputs={inputs}
          entries={saved.entries}
          showErrors={showErrors}
          planMessages={planMessages}
          isOpen={isOptionalOpen}
          onOpen={setOptionalOpen}
          onChange={changeEntry}
          canUseOutputs={canUseOutputs}
        />
        <div className="border-t border-line">
          {capsule ? (
            <ChangedCapsule capsule={capsule} />
          ) : (
            <>
              <CapsuleFields naming={naming} isOpen={isNameOpen} onToggle={setNameOpen} onChange={setPart} />
              <StateUpload value={imported} onChange={setImported} />
            </>
          )}
        </div>
        <div className="px-4 pb-3 empty:hidden has-[[hidden]]:hidden">
          <RefusedFields isShown={showErrors} />
        </div>
        <PlanBar
          isBusy={plan.isPending || plan.isSuccess}
          isReady={capsule !== undefined || naming.isReady}
          count={showErrors ? wrong.length : 0}
          isBlocked={showErrors && credentials.blockedCount > 0}
          pinnedTo={credentials.bindings.length > 0 ? commit : undefined}
          isImport={imported !== undefined}
        />
      </Card>
      {plan.isError && (
        <div className="mt-3">
          <ErrorNote error={plan.error} />
        </div>
      )}
    </form>
  );
}

function ChangedCapsule({ capsule: { name, environment, isInstalled } }: { capsule: ExistingCapsule }) {
  const t = useText();
  return (
    <p className="px-4 py-3 text-sm text-muted">
      {t(isInstalled ? 'installed.changes' : 'install.capsule.again', { name: visibleText(name), environment })}
    </p>
  );
}

type BarProps = {
  isBusy: boolean;
  isReady: boolean;
  count: number;
  isBlocked: boolean;
  pinnedTo: string | undefined;
  /** True when the form ends in a restore instead of a plan. */
  isImport: boolean;
};

function PlanBar({ isBusy, isReady, count, isBlocked, pinnedTo, isImport }: BarProps) {
  const t = useText();
  const runner = usePlanRunner();
  const problems = [
    ...(count > 0 ? [t('install.problems', { count })] : []),
    ...(isBlocked ? [t('binding.blocked')] : []),
  ];
  const isWrong = problems.length > 0;
  const plain = pinnedTo === undefined ? t('install.planHelp') : t('binding.pinned', { commit: pinnedTo.slice(0, 10) });
  return (
    <div className="sticky bottom-0 z-10 flex flex-wrap items-center gap-3 rounded-b-lg border-t border-line bg-card px-4 py-3">
      <Button type="submit" variant="primary" busy={isBusy} disabled={!isReady}>
        {t(isImport ? 'import.review' : 'install.plan')}
      </Button>
      <p role="status" className={`min-w-0 flex-1 basis-44 text-sm ${isWrong ? 'text-bad' : 'text-muted'}`}>
        {isWrong ? problems.join(' ') : isImport ? t('import.review.help') : plain}
      </p>
      <NoSandboxLine runner={runner} />
    </div>
  );
}

/** Only optional inputs are in a fold, which opens when one of them is invalid. */
const isFoldedWrong = (inputs: readonly Input[], wrong: readonly string[]): boolean =>
  inputs.some(({ declared, isRequired }) => !isRequired && wrong.includes(declared.name));

/** Reports whether the advanced section starts open: only when one of its inputs was edited. */
const startsOpen = (inputs: readonly Input[], { entries }: SavedInputs): boolean => {
  const folded = inputs.filter(({ presentation }) => presentation === undefined || presentation.advanced === true);
  const isShort = inputs.length <= openOptionalUpTo && folded.some(({ presentation }) => presentation === undefined);
  return isShort || folded.some(({ declared }) => isEdited(entries[declared.name]));
};

const isEdited = (entry: Entry = {}): boolean => entry.draft !== undefined || usesOutput(entry);
