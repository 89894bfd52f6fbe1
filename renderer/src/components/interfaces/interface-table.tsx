import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Interface } from '#shared/interfaces/contract';
import { capsuleQuery } from '../../api/records.ts';
import { useText } from '../../i18n/text.ts';
import { type Column, DataTable, rowLinkClass } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useFormResourceName } from './form-resource-name.ts';
import { interfaceKindText, interfacePhaseTexts, interfaceReasonOf } from './interface-text.ts';

type Props = { label: string; rows: readonly Interface[]; namesOwner?: boolean };

/** Interfaces with what they are, and whether they can be used. Each row leads to its page. */
export function InterfaceTable({ label, rows, namesOwner = false }: Props) {
  const t = useText();
  const columns: (Column<Interface> | false)[] = [
    { id: 'name', head: t('interfaces.name'), cell: (row) => <Name row={row} /> },
    {
      id: 'kind',
      head: t('interfaces.kind'),
      cell: ({ spec }) => <KindName type={spec.type} />,
      className: 'text-muted md:w-56',
    },
    namesOwner && {
      id: 'owner',
      head: t('interfaces.owner'),
      cell: (row) => <Owner row={row} />,
      className: 'text-muted md:w-52',
    },
    {
      id: 'status',
      head: t('interfaces.status'),
      cell: ({ status }) => <StatusBadge statusText={interfacePhaseTexts[status.phase]} />,
      className: 'md:w-32',
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns.filter((column) => column !== false)}
      rows={rows}
      keyOf={({ id }) => id}
    />
  );
}

/** Kind of an Interface in plain words; its type where this product does not know it. */
export function KindName({ type }: { type: string }) {
  const t = useText();
  const kind = interfaceKindText(type);
  return kind ? t(kind) : <code className="font-mono text-[0.93em] break-all">{visibleText(type)}</code>;
}

function Name({ row }: { row: Interface }) {
  const t = useText();
  const reason = interfaceReasonOf(row);
  return (
    <>
      <Link to="/interfaces/$id" params={{ id: row.id }} data-row className={`${rowLinkClass} break-words`}>
        {visibleText(row.name)}
      </Link>
      {reason && <p className="mt-0.5 text-xs text-muted">{t(reason.text)}</p>}
    </>
  );
}

function Owner({ row: { ownerRef } }: { row: Interface }) {
  if (ownerRef.kind === 'Capsule') return <CapsuleName id={ownerRef.id} />;
  return ownerRef.kind === 'Workspace' ? 'Workspace' : <FormResourceName id={ownerRef.id} />;
}

function FormResourceName({ id }: { id: string }) {
  return <span className="break-words">{useFormResourceName(id)}</span>;
}

function CapsuleName({ id }: { id: string }) {
  const capsule = useQuery(capsuleQuery(id)).data;
  return <span className="break-words">{visibleText(capsule?.name ?? id)}</span>;
}
