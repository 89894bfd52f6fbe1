import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { membersApi } from '#shared/workspaces/members-api';
import type { MembersService } from './members-service.ts';

export const membersRoutes = (mount: Mount, members: MembersService): void =>
  mount(membersApi, {
    listMembers: ({ params }) => ok({ members: members.listMembers(params.workspaceId) }),
    addMember:
      ({ params, body, caller }) =>
      () =>
        created(members.addMember({ ...params, actorId: actorOf(caller), origin: caller.origin }, body)),
    changeMember:
      ({ params, body, caller }) =>
      () => {
        const { workspaceId, subject: accountId } = params;
        return ok({ member: members.changeMember({ workspaceId, accountId, actorId: actorOf(caller) }, body) });
      },
    removeMember:
      ({ params, caller }) =>
      () => {
        const { workspaceId, subject: accountId } = params;
        return ok({ member: members.removeMember({ workspaceId, accountId, actorId: actorOf(caller) }) });
      },
  });
