import type { Clock } from '#server/kernel/clock';
import { type Streamed, sseEvent } from '#server/kernel/http/index';
import { everyWorkspace, type Outbox, type OutboxEvent } from '#server/kernel/outbox';
import { limits } from '#shared/limits';
import { type Changed, type ChangedRun, runChangeKinds } from '#shared/workspaces/changes';
import type { WorkspacesService } from './service.ts';

export type WorkspaceEvents = ReturnType<typeof createWorkspaceEvents>;

type Deps = { outbox: Outbox; clock: Clock; workspaces: Pick<WorkspacesService, 'findRoles'> };
type Out = Parameters<Streamed['stream']['start']>[0];
/** Events of one stream: which ones, how the missed ones are read, and what is sent of each. */
type Selection = {
  isWanted: (event: OutboxEvent) => boolean;
  list: (after: number, limit: number) => OutboxEvent[];
  dataOf: (event: OutboxEvent) => Changed | ChangedRun;
};
type StreamInput = Omit<Deps, 'workspaces'> & {
  selection: Selection;
  after: number | undefined;
  out: Out;
  signal: AbortSignal;
};

/** Time during which events are gathered after a send. */
const spacingMs = 100;
const pageRows = 1_000;

/** The event streams of Workspaces and accounts report which records have changed, so that readers need not poll. */
export function createWorkspaceEvents({ workspaces, ...deps }: Deps) {
  const { outbox } = deps;
  const live = (selection: Selection, after: number | undefined): Streamed => ({
    stream: {
      contentType: 'text/event-stream',
      start: (out, signal) => streamChanges({ ...deps, selection, after, out, signal }),
    },
  });
  return {
    /** Streams the changes of a Workspace from a cursor; without one, from now on. */
    live: (workspaceId: string, after: number | undefined): Streamed =>
      live(
        {
          isWanted: (event) => event.workspaceId === workspaceId || event.workspaceId === everyWorkspace,
          list: (seen, limit) => outbox.list(workspaceId, seen, limit),
          dataOf: changedOf,
        },
        after,
      ),

    /** Streams the changes of the Runs of all Workspaces that an account is a member of when they are sent. */
    liveOfAccount: (accountId: string, after: number | undefined): Streamed =>
      live(
        {
          isWanted: ({ kind, workspaceId }) =>
            isKindOfRun(kind) && workspaces.findRoles(workspaceId, accountId) !== undefined,
          list: outbox.listAll,
          dataOf: (event) => ({ ...changedOf(event), workspaceId: event.workspaceId }) as ChangedRun,
        },
        after,
      ),
  };
}

const isKindOfRun = (kind: string): boolean => runChangeKinds.some((one) => one === kind);

const changedOf = ({ kind, recordId, status }: OutboxEvent): Changed => ({
  kind: kind as Changed['kind'],
  id: recordId,
  ...(status !== undefined && { status }),
});

function streamChanges({ outbox, clock, selection, after, out, signal }: StreamInput): void {
  const teller = createTeller(out, selection);
  const beat = () => out.write(sseEvent('hb', { now: clock.now() }));
  const timer = setInterval(beat, limits.sseHeartbeatSeconds * 1_000);
  const unsubscribe = outbox.listen((event) => {
    if (selection.isWanted(event)) teller.push(event);
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
  else for (const event of eventsAfter(selection, after)) teller.push(event);
}

/**
 * Builds a block without data, which moves the reader's cursor and is not an event (HTML Living Standard, 9.2.6). A
 * reader that disconnects before the first event resumes here.
 */
const cursorBlock = (seq: number): string => `id: ${seq}\n\n`;

function* eventsAfter({ list, isWanted }: Selection, after: number): Generator<OutboxEvent> {
  let seen = after;
  for (;;) {
    const page = list(seen, pageRows);
    yield* page.filter(isWanted);
    if (page.length < pageRows) return;
    seen = page.at(-1)?.seq ?? seen;
  }
}

/**
 * Sends events in sequence order, at most once per pause, and only the latest of each record. A reader that disconnects
 * between two of them misses nothing, because a skipped event is sent again under a later number.
 */
function createTeller(out: Out, { dataOf }: Selection): { push(event: OutboxEvent): void; stop(): void } {
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
    const text = [...waiting.values()].map((event) => sseEvent('changed', dataOf(event), event.seq)).join('');
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
