import { Box, Globe, PackageOpen, ShieldAlert, SquareTerminal, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CompatibilityReport } from '#shared/sources/report';
import { bringsPrograms, codeOf } from '../api/module-code.ts';
import type { PlanRunner } from '../api/plan-runner.ts';
import { useText } from '../i18n/text.ts';
import { Findings } from '../ui/findings.tsx';
import { providerText } from '../ui/provider-text.ts';
import { Note } from '../ui/surface.tsx';
import { visibleText } from '../ui/visible-text.ts';

type Props = {
  report: CompatibilityReport;
  runner: PlanRunner;
  /** True when commands of the repository run before each plan. */
  isBuilt?: boolean;
};

/** Describes what a plan of this module runs, on which machine, and what it can reach. */
export function HowItRuns({ report, runner, isBuilt = false }: Props) {
  const t = useText();
  const tool = `${runner.toolName === 'terraform' ? 'Terraform' : 'OpenTofu'} ${runner.toolVersion ?? ''}`.trim();
  const machine =
    runner.poolName === undefined
      ? t('install.machine.local')
      : t('install.machine.pool', { pool: visibleText(runner.poolName) });
  const providers = report.providerPackages.map(providerText).join(' · ');
  const isOpen = runner.sandbox === 'none';
  return (
    <ul className="flex max-w-prose flex-col gap-1.5 text-sm">
      <Fact icon={SquareTerminal}>
        {t(bringsPrograms(report) ? 'install.runsPrograms' : isBuilt ? 'install.runsBuild' : 'install.runsNothing', {
          tool,
          machine,
        })}{' '}
        {runner.toolName === 'terraform' && t('install.isTerraform')}
      </Fact>
      {providers !== '' && (
        <Fact icon={PackageOpen}>
          {t('install.runsProviders')} <span className="font-mono text-xs break-all">{providers}</span>
        </Fact>
      )}
      <Fact icon={isOpen ? ShieldAlert : Box}>
        {t(`install.sandbox.${runner.sandbox}`)}{' '}
        {isOpen && (runner.sandboxProblem ? visibleText(runner.sandboxProblem.message) : t('install.sandbox.install'))}
      </Fact>
      <Fact icon={Globe}>
        {t(bringsPrograms(report) || isOpen ? `install.network.${runner.network}` : 'install.network.unused')}
      </Fact>
    </ul>
  );
}

const Fact = ({ icon: Icon, children }: { icon: typeof Box; children: ReactNode }) => (
  <li className="flex gap-2">
    <Icon size={15} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
    <span className="min-w-0">{children}</span>
  </li>
);

/** The same as a warning, including the code that the module runs. A missing sandbox comes first. */
export function RunsWarning({ report, runner, isBuilt = false }: Props) {
  const t = useText();
  const findings = codeOf(report);
  const isOpen = runner.sandbox === 'none';
  const title = isOpen ? 'install.noSandbox' : findings.length > 0 ? 'install.runsCode' : 'install.howItRuns';
  return (
    <Note tone="warn" title={t(title)}>
      <HowItRuns report={report} runner={runner} isBuilt={isBuilt} />
      {findings.length > 0 && (
        <div className="mt-3 border-t border-warn/30 pt-3">
          {isOpen && <p className="mb-2 font-semibold">{t('install.runsCode')}</p>}
          <Findings findings={findings} />
        </div>
      )}
    </Note>
  );
}

type LineProps = {
  runner: Pick<PlanRunner, 'sandbox'> | undefined;
  text?: 'install.noSandbox.line' | 'run.review.noSandbox';
};

/** One line beside the button that starts something, for users who have not seen the warning of the installation. */
export function NoSandboxLine({ runner, text = 'install.noSandbox.line' }: LineProps) {
  const t = useText();
  if (runner?.sandbox !== 'none') return null;
  return (
    <p className="flex items-center gap-1.5 text-sm font-medium text-warn">
      <TriangleAlert size={15} aria-hidden="true" className="shrink-0" /> {t(text)}
    </p>
  );
}
