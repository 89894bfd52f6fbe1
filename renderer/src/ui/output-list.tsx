import { LockKeyhole } from 'lucide-react';
import type { ReactNode } from 'react';
import type { CompatibilityReport } from '#shared/sources/report';
import { useText } from '../i18n/text.ts';
import { JsonValue } from './json-value.tsx';
import { visibleText } from './visible-text.ts';

/** Names that the module declares and whose values stay sealed. */
export function hiddenNames(report: CompatibilityReport | undefined, shown: ReadonlySet<string>): string[] {
  const declared = report?.rootModuleOutputs ?? [];
  return declared.filter(({ name, sensitive }) => sensitive !== false && !shown.has(name)).map(({ name }) => name);
}

/** Outputs by name, with the names of those that stay sealed. */
export function OutputList({
  values,
  report,
}: {
  values: Record<string, unknown>;
  report: CompatibilityReport | undefined;
}) {
  const t = useText();
  const entries = Object.entries(values).sort(([a], [b]) => a.localeCompare(b));
  const hidden = hiddenNames(report, new Set(Object.keys(values)));
  if (entries.length + hidden.length === 0) return <p className="px-4 py-4 text-muted">{t('outputs.none')}</p>;
  return (
    <dl className="divide-y divide-line">
      {entries.map(([name, value]) => (
        <Row key={name} name={name}>
          <JsonValue value={value} name={visibleText(name)} />
        </Row>
      ))}
      {hidden.map((name) => (
        <Row key={name} name={name}>
          <span className="inline-flex items-center gap-1.5 text-muted">
            <LockKeyhole size={14} aria-hidden="true" /> {t('outputs.hidden')}
          </span>
        </Row>
      ))}
    </dl>
  );
}

const placeholder = <span aria-hidden="true" className="inline-block h-3 w-32 animate-pulse rounded bg-raised" />;

/** The Outputs that the module declares, before their values are known: the list then replaces it without a shift. */
export function PendingOutputs({
  report,
  children,
}: {
  report: CompatibilityReport | undefined;
  children?: ReactNode;
}) {
  const t = useText();
  if (!report?.rootModuleOutputs) return <div className="px-4 py-2">{placeholder}</div>;
  const names = report.rootModuleOutputs.map(({ name }) => name).sort((a, b) => a.localeCompare(b));
  if (names.length === 0) return <p className="px-4 py-4 text-muted">{t('outputs.none')}</p>;
  return (
    <dl className="divide-y divide-line">
      {names.map((name) => (
        <Row key={name} name={name}>
          {children ?? placeholder}
        </Row>
      ))}
    </dl>
  );
}

const Row = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid grid-cols-1 items-baseline gap-x-6 gap-y-1 px-4 py-2 sm:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)]">
    <dt className="font-mono text-[0.93em] break-words">{visibleText(name)}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);
