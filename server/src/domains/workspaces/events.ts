import type { Clock } from '#server/kernel/clock';
import { type Streamed, sseEvent } from '#server/kernel/http/index';
import { everyWorkspace, type Outbox, type OutboxEvent } from '#server/kernel/outbox';
import { limits } from '#shared/limits';
import type { Changed } from '#shared/workspaces/changes';

export type WorkspaceEvents = ReturnType<typeof createWorkspaceEvents>;

type Deps = { outbox: Outbox; clock: Clock };
type Out = Parameters<Streamed['stream']['start']>[0];
type WorkspaceStreamInput = Deps & { workspaceId: string; after: number | undefined; out: Out; signal: AbortSignal };

/** Time during which events are gathered after a send. */
const spacingMs = 100;
const pageRows = 1_000;

/** The event stream of a Workspace: reports which records have changed, so that readers need not poll. */
export const createWorkspaceEvents = (deps: Deps) => ({
  /** Streams from a cursor; without one, from now on. */
  live: (workspaceId: string, after: number | undefined): Streamed => ({
    stream: {
      contentType: 'text/event-stream',
      start: (out, signal) => streamChanges({ ...deps, workspaceId, after, out, signal }),
    },
  }),
});

function streamChanges({ outbox, clock, workspaceId, after, out, signal }: WorkspaceStreamInput): void {
  const teller = createTeller(out);
  const beat = () => out.write(sseEvent('hb', { now: clock.now() }));
  const timer = setInterval(beat, limits.sseHeartbeatSeconds * 1_000);
  const unsubscribe = outbox.listen((event) => {
    if (event.workspaceId === workspaceId || event.workspaceId === everyWorkspace) teller.push(event);
  });
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    unsubscribe();
    teller.stop();
  });
  beat();
  const { oldest, newest } = outbox.bounds();
  if (after === undefined) out.write(cursorBlock(newest));
  else if (after < oldest - 1 || after > newest) out.write(sseEvent('reset', {}, newest));
  else for (const event of eventsAfter(outbox, workspaceId, after)) teller.push(event);
}

/**
 * Builds a block without data, which moves the reader's cursor and is not an event (HTML Living Standard, 9.2.6). A
 * reader that disconnects before the first event resumes here.
 */
const cursorBlock = (seq: number): string => `id: ${seq}\n\n`;

function* eventsAfter(outbox: Outbox, workspaceId: string, after: number): Generator<OutboxEvent> {
  let seen = after;
  for (;;) {
    const page = outbox.list(workspaceId, seen, pageRows);
    yield* page;
    if (page.length < pageRows) return;
    seen = page.at(-1)?.seq ?? seen;
  }
}

/**
 * Sends events in sequence order, at most once per pause, and only the latest of each record. A reader that disconnects
 * between two of them misses nothing, because a skipped event is sent again under a later number.
 */
function createTeller(out: Out): { push(event: OutboxEvent): void; stop(): void } {
  const waiting = new Map<string, OutboxEvent>();
  let timer: NodeJS.Timeout | undefined;
  let state: 'open' | 'blocked' | 'stopped' = 'open';
  const flushIn = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      flush();
    }, ms);
  };
  const flush = () => {
    if (state !== 'open' || waiting.size === 0) return;
    const text = [...waiting.values()].map(eventOf).join('');
    waiting.clear();
    if (out.write(text)) flushIn(spacingMs);
    else block();
  };
  const block = () => {
    state = 'blocked';
    out.onDrain(() => {
      if (state === 'blocked') state = 'open';
      flush();
    });
  };
  return {
    push(event) {
      const key = `${event.kind} ${event.recordId}`;
      waiting.delete(key);
      waiting.set(key, event);
      if (state === 'open') flushIn(0);
    },
    stop() {
      state = 'stopped';
      clearTimeout(timer);
    },
  };
}

const eventOf = ({ seq, kind, recordId, status }: OutboxEvent): string => {
  const changed = { kind: kind as Changed['kind'], id: recordId, ...(status !== undefined && { status }) };
  return sseEvent('changed', changed satisfies Changed, seq);
};
