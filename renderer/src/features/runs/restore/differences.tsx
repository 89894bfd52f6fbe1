import type { RestoredCapsule } from '#shared/restores/contract';
import { Addresses } from '../../../components/addresses.tsx';
import { useText } from '../../../i18n/text.ts';
import { kindSymbols } from '../../../ui/kind-symbols.ts';

const kinds = [
  { kind: 'added', sign: kindSymbols.create, tone: 'text-good' },
  { kind: 'removed', sign: kindSymbols.delete, tone: 'text-bad' },
  { kind: 'changed', sign: kindSymbols.update, tone: 'text-warn' },
] as const;

type Kind = (typeof kinds)[number]['kind'];

/** The first state of a Capsule is not one that returns. */
const textOf = (kind: Kind, isUpload: boolean) =>
  kind === 'added' && isUpload ? ('restore.uploaded' as const) : (`restore.${kind}` as const);

/** Addresses that differ between the current and the restored state, by kind. */
export function Differences({ capsule, isUpload }: { capsule: RestoredCapsule; isUpload: boolean }) {
  const t = useText();
  const shown = kinds.filter(({ kind }) => capsule[kind].total > 0);
  if (shown.length === 0) return <p className="text-sm text-muted">{t('restore.same')}</p>;
  return (
    <div className="flex min-w-0 flex-col gap-1 text-sm">
      {shown.map(({ kind, sign, tone }) => (
        <details key={kind} className="min-w-0" open={capsule[kind].total <= 5}>
          <summary className="cursor-pointer py-0.5">
            <span aria-hidden="true" className={`mr-1 font-mono ${tone}`}>
              {sign}
            </span>
            {t(textOf(kind, isUpload), { count: capsule[kind].total })}
          </summary>
          <div className="pb-1 pl-5">
            <p className="mb-1 text-muted">{t(`${textOf(kind, isUpload)}.text`)}</p>
            <Addresses list={capsule[kind]} />
          </div>
        </details>
      ))}
    </div>
  );
}
