import type { FormResourceDetail } from '#shared/form-resources/contract';
import { useFormHost } from '../../api/form-resources.ts';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { type Fact, Facts } from '../../ui/facts.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Card } from '../../ui/surface.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';

type Props = { resource: FormResourceDetail };

/** Facts of a Resource: its version, its origin, and when it was changed and compared. */
export function AboutResource({ resource }: Props) {
  const t = useText();
  const { id, resourceVersion, imported, createdAt, createdBy, updatedAt, updatedBy, observedAt } = resource;
  const facts: Fact[] = [
    { term: t('formResources.column.version'), value: <span className="tabular-nums">{resourceVersion}</span> },
    { term: t('formResources.column.changed'), value: <At time={updatedAt} by={updatedBy} /> },
    {
      term: t('formResources.observed'),
      value: observedAt === undefined ? t('formResources.observed.never') : <Since at={observedAt} />,
    },
    {
      term: t(imported ? 'formResources.imported' : 'formResources.created'),
      value: <At time={createdAt} by={createdBy} />,
    },
    { term: 'ID', value: <ShortId id={id} what="ID" length={14} /> },
  ];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('formResources.about')}</h2>
      <Facts items={facts} />
    </Card>
  );
}

function At({ time, by }: { time: string; by: string | undefined }) {
  const who = useWho();
  return (
    <>
      <Since at={time} />
      {by !== undefined && ` · ${who(by)}`}
    </>
  );
}

const digestLength = 'sha256:'.length + 8;

/** The exact form of a Resource. Each digest can be copied. */
export function FormReference({ resource: { form, formDisplayName, formInstalled } }: Props) {
  const t = useText();
  const isOn = useFormHost();
  const { apiVersion, kind, definitionVersion, schemaDigest } = form.formRef;
  const code = (text: string) => <code className="font-mono text-[0.93em] break-all">{visibleText(text)}</code>;
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('formResources.column.form')}</h2>
      {isOn === true && !formInstalled && (
        <p className="px-4 pt-3 text-sm text-warn">{t('formResources.uninstalled')}</p>
      )}
      <Facts
        items={[
          ...(formDisplayName === undefined
            ? []
            : [{ term: t('formResources.form.name'), value: visibleText(formDisplayName) }]),
          { term: t('formResources.form.apiVersion'), value: code(apiVersion) },
          { term: t('formResources.form.kind'), value: code(kind) },
          { term: t('formResources.form.definition'), value: code(definitionVersion) },
          {
            term: t('formResources.form.schema'),
            value: <ShortId id={schemaDigest} what={t('formResources.form.schema')} length={digestLength} />,
          },
          {
            term: t('formResources.form.package'),
            value: <ShortId id={form.packageDigest} what={t('formResources.form.package')} length={digestLength} />,
          },
        ]}
      />
    </Card>
  );
}
