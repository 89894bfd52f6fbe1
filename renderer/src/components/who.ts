import { useQuery } from '@tanstack/react-query';
import type { SyncTrigger } from '#shared/runs/contract';
import { membersQuery } from '../api/members.ts';
import { useSession, useWorkspaceId } from '../api/session.tsx';
import { useText } from '../i18n/text.ts';
import { visibleText } from '../ui/visible-text.ts';

/** Formats the actor of an action: "you", the server itself, the name of a member, or the account id. */
export function useWho(): (subject: string, trigger?: SyncTrigger) => string {
  const t = useText();
  const { data } = useSession();
  const { data: members } = useQuery(membersQuery(useWorkspaceId()));
  return (subject, trigger) => {
    if (trigger !== undefined) return t(`who.${trigger}`);
    if (subject === data?.session.subject) return t('who.you');
    if (subject === 'system') return t('who.system');
    if (subject === 'operator') return t('who.operator');
    const member = members?.find(({ accountId }) => accountId === subject);
    return visibleText(member?.displayName ?? member?.email ?? subject);
  };
}
