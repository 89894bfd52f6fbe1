import type { FormResourceDetail } from '#shared/form-resources/contract';
import { findAtPointer } from '#shared/kernel/json-pointer';
import { useText } from '../../i18n/text.ts';
import { JsonValue } from '../../ui/json-value.tsx';
import { LongList } from '../../ui/long-list.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Fields at which the native object differs, each with its desired value. Renders nothing for a Resource that is ready. */
export function Drift({ resource: { ready, driftedFields, spec, observedAt } }: { resource: FormResourceDetail }) {
  const t = useText();
  if (!ready)
    return (
      <Note tone="warn" title={t('formResources.missing.title')}>
        {t('formResources.missing.text')}
      </Note>
    );
  if (driftedFields.length === 0) return null;
  return (
    <Card>
      <div className="border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{t('formResources.drift', { count: driftedFields.length })}</h2>
        <p className="text-sm text-muted">{t('formResources.drift.text')}</p>
        {observedAt !== undefined && (
          <p className="mt-1 text-sm text-muted">
            {t('formResources.observed')}: <Since at={observedAt} />
          </p>
        )}
      </div>
      <LongList label={t('formResources.drift', { count: driftedFields.length })} items={driftedFields}>
        {(pointer) => <DriftedField pointer={pointer} spec={spec} />}
      </LongList>
    </Card>
  );
}

function DriftedField({ pointer, spec }: { pointer: string } & Pick<FormResourceDetail, 'spec'>) {
  const t = useText();
  const desired = findAtPointer(spec, pointer);
  const name = pointer === '' ? t('formResources.drift.all') : visibleText(pointer);
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-[minmax(8rem,16rem)_minmax(0,1fr)]">
      <code className="font-mono text-[0.93em] break-all text-warn">{name}</code>
      <div className="min-w-0">
        <p className="text-xs text-muted">{t('formResources.drift.desired')}</p>
        {desired === undefined ? (
          <span className="text-muted">{t('formResources.drift.absent')}</span>
        ) : (
          <JsonValue value={desired} name={name} />
        )}
      </div>
    </div>
  );
}
