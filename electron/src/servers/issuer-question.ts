import type { BrowserWindow } from 'electron';
import { confirm } from './dialogs.ts';
import { serverTexts } from './texts.ts';

type IssuerQuestionOptions = { name(): string; window(): BrowserWindow | undefined };

/** Asks about a certificate of another authority: once about each, however many connections wait for the answer. */
export function createIssuerQuestion({ name, window }: IssuerQuestionOptions) {
  const answers = new Map<string, Promise<boolean>>();
  async function confirmChange(before: string, after: string): Promise<boolean> {
    const shown = window();
    const t = serverTexts();
    const question = { message: t.issuerChanged(name()), detail: t.issuerDetail(before, after), action: t.trust };
    return shown !== undefined && confirm(shown, { ...question, cancel: t.cancel });
  }
  return {
    confirmIssuer(before: string, after: string): Promise<boolean> {
      const answer = answers.get(after) ?? confirmChange(before, after);
      answers.set(after, answer);
      return answer;
    },
    /** Lets a window that is opened again ask again. */
    clear: () => answers.clear(),
  };
}
