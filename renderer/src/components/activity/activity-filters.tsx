import { activityTargets } from '#shared/activity/actions';
import { useText } from '../../i18n/text.ts';
import { Choice } from '../../ui/choice.tsx';
import { ActorChoice } from '../actor-choice.tsx';
import { CapsuleChoice } from '../capsule-choice.tsx';
import type { ActivitySearch } from './search.ts';

type Change = { [K in keyof ActivitySearch]: ActivitySearch[K] | undefined };
type Props = {
  search: ActivitySearch;
  onChange: (change: Change) => void;
  /** True on a page of one Capsule. */
  isOfCapsule?: boolean;
};

/** Kinds that never occur in a Workspace: those of accounts and of the installation. */
const elsewhere = new Set(['account', 'pat', 'vault']);
/** Kinds of records that this version does not create. */
const notCreated = new Set(['backup', 'interface', 'interface_binding', 'oidc_client', 'hostname_proof']);

/** Filters of the history: kind of record, actor and Capsule. */
export function ActivityFilters({ search, onChange, isOfCapsule = false }: Props) {
  const t = useText();
  const kinds = activityTargets
    .filter((kind) => !elsewhere.has(kind) && (!notCreated.has(kind) || kind === search.kind))
    .map((value) => ({ value, text: t(`activity.kind.${value}`) }));
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <Choice
        label={t('activity.kind')}
        any={t('activity.kind.any')}
        value={search.kind}
        options={kinds}
        onChange={(value) => onChange({ kind: kinds.find((one) => one.value === value)?.value })}
      />
      <ActorChoice value={search.actor} onChange={(actor) => onChange({ actor })} />
      {!isOfCapsule && <CapsuleChoice value={search.capsule} onChange={(capsule) => onChange({ capsule })} />}
    </div>
  );
}
