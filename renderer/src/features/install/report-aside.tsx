import type { ReactNode } from 'react';
import type { CompatibilityReport } from '#shared/sources/report';
import { runsCode } from '../../api/module-code.ts';
import type { PlanRunner } from '../../api/plan-runner.ts';
import { HowItRuns } from '../../components/how-it-runs.tsx';
import { compatibilityTexts } from '../../components/status-text.ts';
import { useText } from '../../i18n/text.ts';
import { Findings } from '../../ui/findings.tsx';
import { numberText } from '../../ui/number-text.ts';
import { Pill } from '../../ui/pill.tsx';
import { shortSource } from '../../ui/provider-text.ts';
import { Card } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

const shownTypes = 12;

type Props = {
  report: CompatibilityReport;
  /** Set when the aside describes how a plan runs, because no warning does. */
  runner: PlanRunner | undefined;
  isBuilt: boolean;
};

/** Summary of the module: level, findings, providers, resources, Outputs. */
export function ReportAside({ report, runner, isBuilt }: Props) {
  const t = useText();
  const notes = report.findings.filter(
    ({ compatibilityImpact, code }) => compatibilityImpact === 'none' && !runsCode.has(code),
  );
  const outputs = report.rootModuleOutputs ?? [];
  const types = [...report.resources, ...report.dataSources.map((one) => ({ ...one, type: `data.${one.type}` }))];
  return (
    <Card className="min-w-0 divide-y divide-line text-sm">
      <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-3">
        <h2 className="text-base font-semibold">{t('install.theModule')}</h2>
        <Pill tone={compatibilityTexts[report.level].tone}>{t(compatibilityTexts[report.level].text)}</Pill>
      </div>
      <Part title={t('install.providers')}>
        {report.providerPackages.length === 0 && <p className="text-muted">{t('install.noProviders')}</p>}
        <ul className="flex flex-col gap-1">
          {report.providerPackages.map(({ source, version }) => (
            <li key={source} className="min-w-0 break-all" title={visibleText(source)}>
              {visibleText(shortSource(source))} {version && <span className="text-muted">{visibleText(version)}</span>}
            </li>
          ))}
        </ul>
      </Part>
      {types.length > 0 && (
        <Part title={t('install.resources')}>
          <ul className="flex flex-col gap-1">
            {types.slice(0, shownTypes).map(({ type, count }) => (
              <li key={type} className="flex justify-between gap-2">
                <code className="min-w-0 break-all">{visibleText(type)}</code>
                {count !== undefined && <span className="shrink-0 text-muted tabular-nums">× {numberText(count)}</span>}
              </li>
            ))}
          </ul>
          {types.length > shownTypes && (
            <p className="mt-1 text-muted">{t('install.moreTypes', { count: types.length - shownTypes })}</p>
          )}
        </Part>
      )}
      <Part title={t('install.outputs')}>
        {outputs.length === 0 && <p className="text-muted">{t('install.noOutputs')}</p>}
        <ul className="flex max-h-60 flex-col gap-1 overflow-y-auto">
          {outputs.map(({ name, sensitive }) => (
            <li key={name} className="flex flex-wrap items-center gap-x-2">
              <code className="min-w-0 break-all">{visibleText(name)}</code>
              {sensitive && <Pill tone="warn">{t('input.isSensitive')}</Pill>}
            </li>
          ))}
        </ul>
      </Part>
      {runner && report.level === 'ready' && (
        <Part title={t('install.howItRuns')}>
          <HowItRuns report={report} runner={runner} isBuilt={isBuilt} />
        </Part>
      )}
      {notes.length > 0 && (
        <Part title={t('install.findings')}>
          <Findings findings={notes} />
        </Part>
      )}
    </Card>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="px-4 py-3">
    <h3 className="mb-1.5 font-medium text-muted">{title}</h3>
    {children}
  </section>
);
