import { useQuery } from '@tanstack/react-query';
import { activityTargets } from '#shared/activity/actions';
import { membersQuery } from '../../api/members.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Choice } from '../../ui/choice.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CapsuleChoice } from '../capsule-choice.tsx';
import { useWho } from '../who.ts';
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
const notCreated = new Set(['backup', 'interface', 'interface_binding', 'oidc_client', 'hostname_proof', 'resource']);

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

type ChoiceProps = { value: string | undefined; onChange: (value: string | undefined) => void };

/** The members, the server and the operator. A former member stays selectable while selected. */
function ActorChoice({ value, onChange }: ChoiceProps) {
  const t = useText();
  const who = useWho();
  const workspaceId = useWorkspaceId();
  const { data = [] } = useQuery(membersQuery(workspaceId));
  const members = data.map(({ accountId, displayName, email }) => ({
    value: accountId,
    text: visibleText(displayName ?? email ?? who(accountId)),
  }));
  const others = ['system', 'operator', ...(value === undefined ? [] : [value])]
    .filter((actor, index, all) => all.indexOf(actor) === index && !members.some((member) => member.value === actor))
    .map((actor) => ({ value: actor, text: who(actor) }));
  return (
    <Choice
      label={t('activity.actor')}
      any={t('activity.actor.any')}
      value={value}
      options={[...members, ...others]}
      onChange={onChange}
    />
  );
}
