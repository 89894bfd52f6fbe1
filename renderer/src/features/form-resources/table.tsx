import { Link } from '@tanstack/react-router';
import type { FormResourceRecord } from '#shared/form-resources/contract';
import { useWho } from '../../components/who.ts';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { Since } from '../../ui/time.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { StatePills } from './state-pills.tsx';

export function FormResourceTable({ rows }: { rows: readonly FormResourceRecord[] }) {
  const t = useText();
  const who = useWho();
  const columns: Column<FormResourceRecord>[] = [
    {
      id: 'resource',
      head: 'Resource',
      cell: ({ id, name, kind }) => (
        <>
          <Link to="/form-resources/$id" params={{ id }} data-row className={`${rowLinkClass} break-words`}>
            {visibleText(name)}
          </Link>
          <p className="text-xs break-words text-muted">{visibleText(kind)}</p>
        </>
      ),
    },
    {
      id: 'form',
      head: t('formResources.column.form'),
      cell: (resource) => <FormName resource={resource} />,
      className: 'text-muted md:w-60',
    },
    {
      id: 'state',
      head: t('formResources.column.state'),
      cell: (resource) => <StatePills resource={resource} />,
      className: 'md:w-52',
    },
    {
      id: 'version',
      head: t('formResources.column.version'),
      cell: ({ resourceVersion }) => (
        <span className="text-muted tabular-nums">
          <span className="md:hidden">{t('formResources.column.version')} </span>
          {resourceVersion}
        </span>
      ),
      className: 'md:w-24',
    },
    {
      id: 'changed',
      head: t('formResources.column.changed'),
      cell: ({ updatedAt, updatedBy }) => (
        <div className="text-muted">
          <span className="whitespace-nowrap">
            <Since at={updatedAt} />
          </span>{' '}
          {updatedBy !== undefined && <p className="inline text-xs break-words md:block">{who(updatedBy)}</p>}
        </div>
      ),
      className: 'md:w-44 md:text-right',
    },
  ];
  return <DataTable label={t('formResources.title')} columns={columns} rows={rows} keyOf={({ id }) => id} />;
}

/** Name of a form in its package, or its API version, with the version of the definition. */
export function FormName({ resource: { form, formDisplayName } }: { resource: FormResourceRecord }) {
  const { apiVersion, definitionVersion } = form.formRef;
  return (
    <span className="break-words">
      {visibleText(formDisplayName ?? apiVersion)}{' '}
      <span className="whitespace-nowrap tabular-nums">{visibleText(definitionVersion)}</span>
    </span>
  );
}
