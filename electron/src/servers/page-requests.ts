import { type BrowserWindow, shell } from 'electron';
import type { PageRequests } from './contents.ts';
import { confirm } from './dialogs.ts';
import { createQuestionLimit } from './question.ts';
import { serverTexts } from './texts.ts';

type PageRequestsOptions = {
  origin: string;
  /** Returns the current name of the server. */
  name(): string;
  /** Returns the window of the page; undefined when it is closed. */
  window(): BrowserWindow | undefined;
  openSignIn(address: string): void;
};

/** Asks the person about what the page of a server requests outside its window. */
export function createPageRequests(options: PageRequestsOptions): PageRequests & { refuseDownload(): void } {
  const { origin, name, window, openSignIn } = options;
  const confirmOnce = createQuestionLimit(() => performance.now());
  type Question = { message: string; detail: string; action: string };
  const whenAgreed = (question: Question, act: () => unknown) => {
    const confirmed = confirmOnce(async () => {
      const shown = window();
      return shown !== undefined && confirm(shown, { ...question, cancel: serverTexts().cancel });
    });
    confirmed.then((isAgreed) => isAgreed && act()).catch(() => undefined);
  };
  // The normalized form contains no control character.
  const openOutside = (address: string) => shell.openExternal(new URL(address).href);
  return {
    openInBrowser(address) {
      const t = serverTexts();
      const question = { message: t.openAddress(name()), detail: new URL(address).href, action: t.openInBrowser };
      whenAgreed(question, () => openOutside(address));
    },
    openApp(address) {
      const t = serverTexts();
      const detail = `${t.openAppDetail}\n\n${new URL(address).href}`;
      whenAgreed({ message: t.openApp(name()), detail, action: t.open }, () => openOutside(address));
    },
    signIn(address) {
      const t = serverTexts();
      const detail = `${t.signInDetail}\n\n${new URL(address).origin}`;
      whenAgreed({ message: t.signIn(name()), detail, action: t.continue }, () => openSignIn(address));
    },
    refuseDownload() {
      const t = serverTexts();
      const question = { message: t.download(name()), detail: t.downloadDetail, action: t.openInBrowser };
      whenAgreed(question, () => openOutside(origin));
    },
  };
}
