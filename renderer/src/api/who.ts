import type { SyncTrigger } from '#shared/runs/contract';
import { useText } from '../i18n/text.ts';
import { visibleText } from '../ui/visible-text.ts';
import { useSession } from './session.tsx';

/** Turns the subject behind a deed into a word: "you", the server itself, or the account as it is. */
export function useWho(): (subject: string, trigger?: SyncTrigger) => string {
  const t = useText();
  const { data } = useSession();
  return (subject, trigger) => {
    if (trigger !== undefined) return t(`who.${trigger}`);
    if (subject === data?.session.subject) return t('who.you');
    if (subject === 'system') return t('who.system');
    return subject === 'operator' ? t('who.operator') : visibleText(subject);
  };
}
