import type { PersonalEvent } from '#shared/notifications/contract';

/** A notification that a page may request. */
export type Notice = { event: PersonalEvent; runId: string };

const runId = /^[a-z_]{1,40}_[0-9A-Z]{26}$/;

/**
 * Returns the notice that a page requested, or undefined when it is not exactly an event of the list and the id of a Run.
 * A page chooses no text, picture, sound or address of a notification.
 */
export function readNotice(args: readonly unknown[], events: Record<PersonalEvent, string>): Notice | undefined {
  const [event, id] = args;
  const isKnown = typeof event === 'string' && Object.hasOwn(events, event);
  if (args.length !== 2 || !isKnown || typeof id !== 'string' || !runId.test(id)) return undefined;
  return { event: event as PersonalEvent, runId: id };
}

const windowMs = 60_000;
const maxNotices = 6;

/** Allows a page a few notifications a minute, each one once. */
export function createNoticeLimit(now: () => number): (notice: Notice) => boolean {
  const shown = new Map<string, number>();
  return ({ event, runId: id }) => {
    for (const [key, at] of shown) if (now() - at >= windowMs) shown.delete(key);
    const key = `${event} ${id}`;
    if (shown.has(key) || shown.size >= maxNotices) return false;
    shown.set(key, now());
    return true;
  };
}
