import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '#shared/permissions';
import type { Member } from '#shared/workspaces/contract';
import { api } from '../../api/client.ts';
import { useIntent } from '../../api/intent.ts';
import { membersQuery } from '../../api/members.ts';
import { keys, queryClient } from '../../api/queries.ts';
import { useSession, useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { type Added, AddedNote, AddMember } from './add.tsx';
import { MemberRow } from './row.tsx';

/** Members of the Workspace: add, change roles and remove. */
export function MembersPage() {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const query = useQuery(membersQuery(workspaceId));
  return (
    <>
      <PageTitle title={t('members.title')} lead={t('members.lead')} />
      {query.isPending && <Skeleton lines={5} />}
      {query.isLoadingError && <ErrorNote error={query.error} onAgain={() => void query.refetch()} />}
      {query.data && <Members members={query.data} workspaceId={workspaceId} />}
    </>
  );
}

const isActiveOwner = ({ roles, status }: Member) => status === 'active' && roles.includes('owner');

function Members({ members, workspaceId }: { members: readonly Member[]; workspaceId: string }) {
  const t = useText();
  const { data } = useSession();
  const subject = data?.session.subject;
  const me = members.find(({ accountId }) => accountId === subject);
  const isOwner = me !== undefined && isActiveOwner(me);
  const mayAdd = isOwner || me?.roles.includes('admin') === true;
  const [added, setAdded] = useState<Added>();
  const adding = useIntent(async (keyOf, who: { email: string } | { accountId: string }, role?: Role) => {
    setAdded(undefined);
    const { body } = await api.addMember(
      { params: { workspaceId }, body: { ...who, ...(role && { role }) } },
      keyOf('add'),
    );
    setAdded(body);
    await queryClient.invalidateQueries({ queryKey: keys.members(workspaceId) });
    return body;
  });
  const owners = members.filter(isActiveOwner).length;
  const rowOf = (member: Member) => (
    <MemberRow
      key={member.id}
      member={member}
      isMe={member.accountId === subject}
      isOwner={isOwner}
      mayAdd={mayAdd && (isOwner || !member.roles.includes('owner'))}
      isLastOwner={isActiveOwner(member) && owners === 1}
      onAdd={({ accountId, status, roles: [role] }) =>
        void adding.run({ accountId }, status === 'invited' ? role : undefined)
      }
    />
  );
  // An invitation link that was used, or whose member was removed, is no longer valid.
  const isUsed = added?.invitation && members.find(({ id }) => id === added.member.id)?.status !== 'invited';
  const removed = members.filter(({ status }) => status === 'suspended');
  return (
    <div className="flex flex-col gap-4">
      {mayAdd && (
        <AddMember adding={{ ...adding, run: (email, role) => adding.run({ email }, role) }} isOwner={isOwner} />
      )}
      {added && !isUsed && <AddedNote added={added} />}
      {!isOwner && <p className="text-muted">{t('members.readOnly')}</p>}
      <Card>
        <ul aria-label={t('members.title')}>{members.filter(({ status }) => status !== 'suspended').map(rowOf)}</ul>
      </Card>
      {removed.length > 0 && (
        <details>
          <summary className="cursor-pointer text-muted">{t('members.removed', { count: removed.length })}</summary>
          <Card className="mt-2">
            <ul>{removed.map(rowOf)}</ul>
          </Card>
        </details>
      )}
    </div>
  );
}
