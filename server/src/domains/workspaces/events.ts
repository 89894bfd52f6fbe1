import type { Clock } from '#server/kernel/clock';
import { type Streamed, sseEvent } from '#server/kernel/http/index';
import { everyWorkspace, type News, type Outbox } from '#server/kernel/outbox';
import { limits } from '#shared/limits';
import type { Changed } from '#shared/workspaces/changes';

export type WorkspaceEvents = ReturnType<typeof createWorkspaceEvents>;

type Deps = { outbox: Outbox; clock: Clock };
type Out = Parameters<Streamed['stream']['start']>[0];
type Ask = Deps & { workspaceId: string; after: number | undefined; out: Out; signal: AbortSignal };

/** After something was told, what comes is gathered for this long. */
const spacingMs = 100;
const pageRows = 1_000;

/** The stream of a Workspace: which records have changed, so that no reader has to ask again and again. */
export const createWorkspaceEvents = (deps: Deps) => ({
  /** From a place on; without one, from now on. */
  live: (workspaceId: string, after: number | undefined): Streamed => ({
    stream: {
      contentType: 'text/event-stream',
      start: (out, signal) => streamChanges({ ...deps, workspaceId, after, out, signal }),
    },
  }),
});

function streamChanges({ outbox, clock, workspaceId, after, out, signal }: Ask): void {
  const teller = createTeller(out);
  const beat = () => out.write(sseEvent('hb', { now: clock.now() }));
  const timer = setInterval(beat, limits.sseHeartbeatSeconds * 1_000);
  const deaf = outbox.listen((news) => {
    if (news.workspaceId === workspaceId || news.workspaceId === everyWorkspace) teller.hear(news);
  });
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    deaf();
    teller.stop();
  });
  beat();
  const { oldest, newest } = outbox.bounds();
  if (after === undefined) out.write(placeAt(newest));
  else if (after < oldest - 1 || after > newest) out.write(sseEvent('reset', {}, newest));
  else for (const news of newsAfter(outbox, workspaceId, after)) teller.hear(news);
}

/** A block without data moves the reader's place and is no event (HTML Living Standard, 9.2.6): whoever breaks off before the first news comes back to here. */
const placeAt = (seq: number): string => `id: ${seq}\n\n`;

function* newsAfter(outbox: Outbox, workspaceId: string, after: number): Generator<News> {
  let seen = after;
  for (;;) {
    const page = outbox.list(workspaceId, seen, pageRows);
    yield* page;
    if (page.length < pageRows) return;
    seen = page.at(-1)?.seq ?? seen;
  }
}

/**
 * Tells news in the order of their sequence, at most once per pause, and of each record only the latest: a reader that
 * breaks off between two of them misses nothing, because what is left out is told again under a later number.
 */
function createTeller(out: Out): { hear(news: News): void; stop(): void } {
  const waiting = new Map<string, News>();
  let timer: NodeJS.Timeout | undefined;
  let state: 'open' | 'blocked' | 'stopped' = 'open';
  const tellIn = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      tell();
    }, ms);
  };
  const tell = () => {
    if (state !== 'open' || waiting.size === 0) return;
    const text = [...waiting.values()].map(eventOf).join('');
    waiting.clear();
    if (out.write(text)) tellIn(spacingMs);
    else block();
  };
  const block = () => {
    state = 'blocked';
    out.onDrain(() => {
      if (state === 'blocked') state = 'open';
      tell();
    });
  };
  return {
    hear(news) {
      const key = `${news.kind} ${news.recordId}`;
      waiting.delete(key);
      waiting.set(key, news);
      if (state === 'open') tellIn(0);
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}

const eventOf = ({ seq, kind, recordId, status }: News): string => {
  const changed = { kind: kind as Changed['kind'], id: recordId, ...(status !== undefined && { status }) };
  return sseEvent('changed', changed satisfies Changed, seq);
};
