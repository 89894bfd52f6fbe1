import { Notification } from 'electron';

type Notified = { title: string; body: string; onClick: () => void };

/** Shows notifications of the system. One that is not held here would lose its click to the garbage collector. */
export function createNotifier() {
  const open = new Set<Notification>();
  return {
    notify({ title, body, onClick }: Notified): void {
      if (!Notification.isSupported()) return;
      const notification = new Notification({ title, body });
      open.add(notification);
      notification.on('close', () => open.delete(notification));
      notification.on('failed', () => open.delete(notification));
      notification.on('click', () => {
        open.delete(notification);
        onClick();
      });
      notification.show();
    },
    close(): void {
      for (const notification of open) notification.close();
      open.clear();
    },
  };
}
