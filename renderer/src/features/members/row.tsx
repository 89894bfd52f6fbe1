import { useState } from 'react';
import { type Role, roles } from '#shared/permissions';
import type { Member } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { inputClass } from '../../ui/controls.tsx';
import { Pill, type Tone } from '../../ui/pill.tsx';
import { memberName } from './role-texts.ts';

const tones: Record<Member['status'], Tone> = { active: 'good', invited: 'accent', suspended: 'neutral' };

type Props = {
  member: Member;
  isMe: boolean;
  /** True when the current user may change other members. */
  isOwner: boolean;
  /** True when the current user may add this member again or create a new link. */
  mayAdd: boolean;
  isLastOwner: boolean;
  onAdd: (member: Member) => void;
};

/** One member with the role, and what can be done about it. */
export function MemberRow({ member, isMe, isOwner, mayAdd, isLastOwner, onAdd }: Props) {
  const t = useText();
  const name = memberName(member);
  const [role] = member.roles;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium break-words">
          {name}
          {isMe && <span className="ml-2 text-xs font-normal text-muted">{t('members.you')}</span>}
        </p>
        {member.displayName !== undefined && member.email !== undefined && (
          <p className="text-sm break-words text-muted">{member.email}</p>
        )}
        {isLastOwner && (isMe || isOwner) && <p className="text-sm text-muted">{t('members.lastOwner')}</p>}
      </div>
      <Pill tone={tones[member.status]}>{t(`members.status.${member.status}`)}</Pill>
      {isOwner && member.status !== 'suspended' && role ? (
        <RoleChoice member={member} role={role} isMe={isMe} isFixed={isLastOwner} />
      ) : (
        <span className="text-sm">{role && t(`members.role.${role}`)}</span>
      )}
      <div className="flex flex-wrap gap-2 empty:hidden">
        {mayAdd && member.status === 'invited' && (
          <Button aria-label={t('members.newLinkNamed', { name })} onClick={() => onAdd(member)}>
            {t('members.newLink')}
          </Button>
        )}
        {mayAdd && member.status === 'suspended' && (
          <Button onClick={() => onAdd(member)}>{t('members.addAgain')}</Button>
        )}
        {member.status !== 'suspended' && (isMe || isOwner) && !isLastOwner && <Remove member={member} isMe={isMe} />}
      </div>
    </li>
  );
}

type RoleProps = { member: Member; role: Role; isMe: boolean; isFixed: boolean };

function RoleChoice({ member, role, isMe, isFixed }: RoleProps) {
  const t = useText();
  const [pendingRole, setPendingRole] = useState<Role>();
  const params = { workspaceId: member.workspaceId, subject: member.accountId };
  const change = useIntent(async (keyOf, wanted: Role) => {
    await api.changeMember({ params, body: { role: wanted } }, keyOf('role'));
    setPendingRole(undefined);
    await queryClient.invalidateQueries({ queryKey: keys.members(member.workspaceId) });
  });
  const choose = (text: string) => {
    const wanted = roles.find((one) => one === text);
    if (!wanted || wanted === role) return;
    if (isMe) setPendingRole(wanted);
    else void change.run(wanted);
  };
  return (
    <div>
      <select
        aria-label={t('members.roleOf', { name: memberName(member) })}
        value={role}
        disabled={isFixed || change.isBusy}
        onChange={(event) => choose(event.target.value)}
        className={`${inputClass} w-auto`}
      >
        {roles.map((one) => (
          <option key={one} value={one}>
            {t(`members.role.${one}`)}
          </option>
        ))}
      </select>
      {change.error !== undefined && pendingRole === undefined && <ErrorNote error={change.error} />}
      <Confirm
        isOpen={pendingRole !== undefined}
        onClose={() => setPendingRole(undefined)}
        title={t('members.demote.ask')}
        action={t('members.demote.do')}
        busy={change.isBusy}
        error={change.error}
        onConfirm={() => pendingRole && void change.run(pendingRole)}
      >
        <p>{t('members.demote.text')}</p>
      </Confirm>
    </div>
  );
}

function Remove({ member, isMe }: { member: Member; isMe: boolean }) {
  const t = useText();
  const name = memberName(member);
  const [isOpen, setOpen] = useState(false);
  const params = { workspaceId: member.workspaceId, subject: member.accountId };
  const remove = useIntent(async (keyOf) => {
    await api.removeMember({ params }, keyOf('remove'));
    setOpen(false);
    await queryClient.invalidateQueries({ queryKey: isMe ? keys.session : keys.members(member.workspaceId) });
  });
  const close = () => {
    remove.reset();
    setOpen(false);
  };
  return (
    <>
      <Button aria-label={isMe ? undefined : t('members.removeNamed', { name })} onClick={() => setOpen(true)}>
        {t(isMe ? 'members.leave' : 'members.remove')}
      </Button>
      <Confirm
        isOpen={isOpen}
        onClose={close}
        title={isMe ? t('members.leave.ask') : t('members.remove.ask', { name })}
        action={t(isMe ? 'members.leave' : 'members.remove')}
        busy={remove.isBusy}
        error={remove.error}
        onConfirm={() => void remove.run()}
      >
        <p>{t(isMe ? 'members.leave.text' : 'members.remove.text')}</p>
      </Confirm>
    </>
  );
}
