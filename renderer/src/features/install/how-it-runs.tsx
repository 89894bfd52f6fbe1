import { useQuery } from '@tanstack/react-query';
import type { RunnerCapability } from '#shared/deploys/tool';
import type { CompatibilityReport } from '#shared/sources/report';
import { api } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { useText } from '../../i18n/text.ts';
import { Note } from '../../ui/surface.tsx';
import { Findings } from './findings.tsx';

/** Findings about code that a plan or an apply runs because the module says so. */
export const runsCode: ReadonlySet<string> = new Set(['provisioner_present', 'external_program_present']);
const codeOf = (report: CompatibilityReport) => report.findings.filter(({ code }) => runsCode.has(code));
const bringsPrograms = (report: CompatibilityReport): boolean =>
  codeOf(report).length > 0 || report.providerPackages.length > 0;

/** Whether a plan of this module deserves a warning before the first one. */
export function isWorthWarning(report: CompatibilityReport, runner: RunnerCapability): boolean {
  const isOpen = runner.sandbox === 'none' || runner.network === 'shared';
  return codeOf(report).length > 0 || runner.toolName === 'terraform' || (isOpen && bringsPrograms(report));
}

/** The tool and what keeps it apart from the machine; undefined while unknown, or without a tool. */
export function useRunner(): RunnerCapability | undefined {
  const { data } = useQuery({ queryKey: keys.capabilities, queryFn: async () => (await api.getCapabilities({})).body });
  return data?.runner.available ? data.runner : undefined;
}

type Props = { report: CompatibilityReport; runner: RunnerCapability };

/** What a plan of this module runs on this machine, in sentences. */
export function HowItRuns({ report, runner }: Props) {
  const t = useText();
  const tool = `${runner.toolName === 'terraform' ? 'Terraform' : 'OpenTofu'} ${runner.toolVersion ?? ''}`.trim();
  const hasPrograms = bringsPrograms(report);
  return (
    <p className="max-w-prose text-sm">
      {t(hasPrograms ? 'install.runsPrograms' : 'install.runsNothing', { tool })}{' '}
      {t(`install.sandbox.${runner.sandbox}`)} {hasPrograms && t(`install.network.${runner.network}`)}{' '}
      {runner.toolName === 'terraform' && t('install.isTerraform')}
    </p>
  );
}

/** The same as a warning, with the code that the module runs by itself. */
export function RunsWarning({ report, runner }: Props) {
  const t = useText();
  const findings = codeOf(report);
  return (
    <Note tone="warn" title={t(findings.length > 0 ? 'install.runsCode' : 'install.howItRuns')}>
      {findings.length > 0 && (
        <div className="mb-2">
          <Findings findings={findings} />
        </div>
      )}
      <HowItRuns report={report} runner={runner} />
    </Note>
  );
}
