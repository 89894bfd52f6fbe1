import { useQuery } from '@tanstack/react-query';
import { membersQuery } from '../api/members.ts';
import { useWorkspaceId } from '../api/session.tsx';
import { useText } from '../i18n/text.ts';
import { Choice } from '../ui/choice.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { useWho } from './who.ts';

type ChoiceProps = { value: string | undefined; onChange: (value: string | undefined) => void };

/** The members, the server and the operator. A former member stays selectable while selected. */
export function ActorChoice({ value, onChange }: ChoiceProps) {
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
