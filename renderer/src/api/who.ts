import { useText } from '../i18n/text.ts';
import { visibleText } from '../ui/visible-text.ts';
import { useSession } from './session.tsx';

/** Turns the subject behind a deed into a word: "you", the server itself, or the account as it is. */
export function useWho(): (subject: string) => string {
  const t = useText();
  const { data } = useSession();
  return (subject) => {
    if (subject === data?.session.subject) return t('who.you');
    if (subject === 'system') return t('who.system');
    return subject === 'operator' ? t('who.operator') : visibleText(subject);
  };
}
