/** Silence in milliseconds after which the stream is reopened. The server sends a heartbeat every 15 s. */
const idleTimeoutMs = 35_000;
const backOffMs = [1_000, 2_000, 5_000, 10_000];

type Live = {
  /** URL of the stream, without the position to resume from. */
  url: string;
  /** Id of the last event received earlier. */
  after?: string;
  /** Names of the events to receive. */
  events: readonly string[];
  onEvent: (name: string, data: unknown, id: string) => void;
  /** Receives the offset of the server's clock from the local clock, in milliseconds, with every heartbeat. */
  onClock?: (offsetMs: number) => void;
  onState?: (state: 'open' | 'lost') => void;
  /** Stays connected while the tab is hidden. */
  evenHidden?: boolean;
  /** Reports whether the stream ends for good after this event. */
  isEnd?: (name: string) => boolean;
};

/**
 * Subscribes to a stream of the server until it ends or is closed. A hidden tab disconnects and resumes from its
 * position when it is shown again, because browsers allow few streams at a time, unless `evenHidden` says otherwise. A stream that breaks or falls silent
 * is reconnected.
 */
export function openLive(live: Live): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = live.after ?? '';
  let failures = 0;
  let isOver = false;
  const isPaused = () => document.hidden && live.evenHidden !== true;

  const close = () => {
    source?.close();
    source = undefined;
    clearTimeout(timer);
  };
  const again = () => {
    close();
    if (isOver || isPaused()) return;
    live.onState?.('lost');
    timer = setTimeout(open, backOffMs[Math.min(failures, backOffMs.length - 1)]);
    failures += 1;
  };
  const restartIdleTimer = () => {
    clearTimeout(timer);
    timer = setTimeout(again, idleTimeoutMs);
  };
  function open(): void {
    close();
    const separator = live.url.includes('?') ? '&' : '?';
    source = new EventSource(lastId === '' ? live.url : `${live.url}${separator}after=${lastId}`);
    source.onopen = () => {
      failures = 0;
      live.onState?.('open');
      restartIdleTimer();
    };
    source.onerror = again;
    source.addEventListener('hb', (event) => {
      restartIdleTimer();
      live.onClock?.((JSON.parse(event.data) as { now: number }).now - Date.now());
    });
    for (const name of live.events) source.addEventListener(name, (event) => take(name, event as MessageEvent<string>));
    restartIdleTimer();
  }
  const take = (name: string, event: MessageEvent<string>) => {
    restartIdleTimer();
    if (event.lastEventId !== '') lastId = event.lastEventId;
    if (live.isEnd?.(name)) {
      isOver = true;
      close();
    }
    live.onEvent(name, JSON.parse(event.data), event.lastEventId);
  };
  const onVisibility = () => {
    if (isOver) return;
    if (isPaused()) close();
    else if (!live.evenHidden || !source) open();
  };
  document.addEventListener('visibilitychange', onVisibility);
  if (!isPaused()) open();
  return () => {
    isOver = true;
    document.removeEventListener('visibilitychange', onVisibility);
    close();
  };
}
