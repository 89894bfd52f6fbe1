import { Notification } from 'electron';
import { createNoticeLimit, type Notice } from './notices.ts';
import { serverTexts } from './texts.ts';

type NotifierOptions = { origin: string; name(): string; show(address: string): void };

/** Shows notifications for the page of a server. The title names the server, and a click opens the Run on it. */
export function createNotifier({ origin, name, show }: NotifierOptions): (notice: Notice) => boolean {
  const isAllowed = createNoticeLimit(() => performance.now());
  return (notice) => {
    if (!Notification.isSupported() || !isAllowed(notice)) return false;
    const title = `${name()} (${new URL(origin).host})`;
    const notification = new Notification({ title, body: serverTexts().notices[notice.event] });
    notification.on('click', () => show(`${origin}/runs/${notice.runId}`));
    notification.show();
    return true;
  };
}
