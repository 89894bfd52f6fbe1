import { useQuery } from '@tanstack/react-query';
import { LockKeyhole } from 'lucide-react';
import type { CompatibilityReport } from '#shared/sources/report';
import { outputsQuery } from '../../api/records.ts';
import { useText } from '../../i18n/text.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { JsonValue } from '../../ui/json-value.tsx';
import { Card, Skeleton } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Names that the module declares and whose values stay sealed. */
export function hiddenNames(report: CompatibilityReport | undefined, shown: ReadonlySet<string>): string[] {
  const declared = report?.rootModuleOutputs ?? [];
  return declared.filter(({ name, sensitive }) => sensitive !== false && !shown.has(name)).map(({ name }) => name);
}

/** The current Outputs of an applied Capsule. Sensitive ones are named, never shown. */
export function CapsuleOutputs(props: { capsuleId: string; report: CompatibilityReport | undefined }) {
  const t = useText();
  const { data: output, isPending, error, refetch } = useQuery(outputsQuery(props.capsuleId));
  return (
    <Card>
      <h2 className="flex flex-wrap items-baseline justify-between gap-2 border-b border-line px-4 py-2.5 font-semibold">
        {t('outputs.title')}
        {output && (
          <span className="text-xs font-normal text-muted">
            {t('outputs.generation', { generation: output.stateGeneration })} · <Since at={output.createdAt} />
          </span>
        )}
      </h2>
      {isPending && <Skeleton />}
      {error && (
        <div className="p-4">
          <ErrorNote error={error} onAgain={() => void refetch()} />
        </div>
      )}
      {output !== undefined && <OutputList values={output?.workspaceOutputs ?? {}} report={props.report} />}
    </Card>
  );
}

function OutputList({ values, report }: { values: Record<string, unknown>; report: CompatibilityReport | undefined }) {
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

const Row = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="grid grid-cols-1 items-baseline gap-x-6 gap-y-1 px-4 py-2 sm:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)]">
    <dt className="font-mono text-[0.93em] break-words">{visibleText(name)}</dt>
    <dd className="min-w-0">{children}</dd>
  </div>
);
