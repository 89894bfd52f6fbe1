import { Link, useNavigate } from '@tanstack/react-router';
import type { InstallDiagnostic, InstallPlan } from '#shared/install-plans/contract';
import type { Diagnostic } from '#shared/runs/feed';
import { installAddress } from '../../api/install-address.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { Diagnostics } from './diagnostics.tsx';
import { saveFailure } from './inspection.ts';
import { useRunErrors } from './run-errors.ts';

/** Reason why the installation ended without a plan, and the possible next steps. */
export function PlanFailure({ plan }: { plan: InstallPlan }) {
  const t = useText();
  const navigate = useNavigate();
  const errors = useRunErrors(plan.planRunId);
  const code = plan.diagnostic?.code ?? 'install_plan_failed';
  const backToInputs = () => {
    const packed = installAddress(plan.source);
    saveFailure({
      packed,
      message: messageOf(plan, errors),
      variables: variablesOf(errors),
      ...(plan.capsuleId !== undefined && { capsuleId: plan.capsuleId }),
    });
    void navigate({ to: '/new', search: { url: packed } });
  };
  return (
    <Note tone={isAbandoned(code) ? 'warn' : 'bad'} title={t(`progress.failed.${code}` satisfies TextId)}>
      {plan.diagnostic && code !== 'plan_run_failed' && !isAbandoned(code) && (
        <FailureText diagnostic={plan.diagnostic} />
      )}
      {errors.length > 0 && <Diagnostics diagnostics={errors} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button variant="primary" onClick={backToInputs}>
          {t('progress.changeInputs')}
        </Button>
        {plan.planRunId !== undefined && (
          <Link to="/runs/$id" params={{ id: plan.planRunId }} className={buttonClass()}>
            {t('progress.openRun')}
          </Link>
        )}
      </div>
    </Note>
  );
}

/** Reasons that the dashboard explains itself; any other has the message of the server. */
const reasonTexts: Readonly<Record<string, TextId>> = {
  capsule_destroyed: 'progress.output.destroyed',
  output_share_required: 'progress.output.notShared',
};

function FailureText({ diagnostic: { code, reason = '', message } }: { diagnostic: InstallDiagnostic }) {
  const t = useText();
  const text = code === 'install_variable_invalid' ? reasonTexts[reason] : undefined;
  if (text) return <p>{t(text)}</p>;
  return (
    <p lang="en" className="break-words">
      {visibleText(message)}
    </p>
  );
}

const isAbandoned = (code: string): boolean => code === 'install_plan_cancelled' || code === 'install_plan_expired';

const diagnosticText = ({ message, detail }: Diagnostic): string => (detail ? `${message}: ${detail}` : message);

const messageOf = ({ diagnostic }: InstallPlan, [first]: readonly Diagnostic[]): string =>
  first ? diagnosticText(first) : (diagnostic?.message ?? '');

/** Returns the messages about single variables, to be shown beside their fields. */
const variablesOf = (errors: readonly Diagnostic[]): Record<string, string> =>
  Object.fromEntries(
    errors.flatMap((error) => (error.variable === undefined ? [] : [[error.variable, diagnosticText(error)] as const])),
  );
