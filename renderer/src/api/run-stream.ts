import { useMemo, useSyncExternalStore } from 'react';
import type { Run } from '#shared/runs/contract';
import { openLive } from './live.ts';
import { keys, queryClient } from './queries.ts';
import { createFeedBook, emptyFeed, type RunFeed } from './run-feed.ts';
import { hasEnded } from './run-record.ts';
import { readWholeStream } from './whole-stream.ts';

const flushMs = 60;
const maxFeeds = 4;
const kinds = ['audit', 'status', 'resource', 'log', 'phase', 'diagnostic', 'end'];

type Feed = { subscribe: (listener: () => void) => () => void; read: () => RunFeed; again: () => void };

/**
 * The feed of one Run, from its first item to its end, over one stream. An active Run is followed live; one that has
 * ended is read in one request. The stream closes when it has no listener; the next listener continues after the last
 * item.
 */
function createFeed(runId: string, isOver: boolean): Feed {
  const book = createFeedBook();
  const listeners = new Set<() => void>();
  const url = `/api/v1/runs/${encodeURIComponent(runId)}/events`;
  let shown = emptyFeed;
  let state: Partial<RunFeed> = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastId = '';
  let status: string | undefined;
  let checked: string | undefined;
  let stop: (() => void) | undefined;

  const flush = () => {
    timer = undefined;
    shown = { ...shown, ...book.changes(state.isEnded === true), ...state };
    for (const listener of listeners) listener();
    checkRecord();
  };
  const change = (next: Partial<RunFeed> = {}) => {
    state = { ...state, ...next };
    if (timer === undefined) timer = setTimeout(flush, flushMs);
  };
  const onEvent = (name: string, data: unknown, id: string) => {
    lastId = id;
    book.take(name, data as { seq?: number }, Number(id));
    if (name === 'status' || name === 'end') status = (data as { status: string }).status;
    if (name === 'end') state = { ...state, isEnded: true, isLost: false };
    change();
  };
  /** Reads the record again. The Workspace's stream reports Runs too; the first report wins. */
  function checkRecord(): void {
    const known = queryClient.getQueryData<Run>(keys.run(runId));
    if (status === undefined || !known || known.status === status || status === checked) return;
    checked = status;
    void queryClient.invalidateQueries({ queryKey: keys.run(runId) });
  }

  function readWhole(): () => void {
    const gone = new AbortController();
    change({ error: undefined });
    readWholeStream({ url, after: lastId, signal: gone.signal, onEvent }).catch((error: unknown) => {
      if (!gone.signal.aborted) change({ error });
    });
    return () => gone.abort();
  }
  const openStream = () =>
    openLive({
      url: `${url}?kinds=${kinds.join(',')},hb`,
      after: lastId,
      events: kinds,
      isEnd: (name) => name === 'end',
      onState: (line) => change({ isLost: line === 'lost' }),
      onEvent,
    });

  const open = () => {
    stop?.();
    stop = state.isEnded ? undefined : (isOver ? readWhole : openStream)();
  };
  return {
    read: () => shown,
    again: open,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) open();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}

const feeds = new Map<string, Feed>();

function feedOf(run: Run): Feed {
  const known = feeds.get(run.id);
  if (known) return known;
  const oldest = feeds.size >= maxFeeds ? feeds.keys().next().value : undefined;
  if (oldest !== undefined) feeds.delete(oldest);
  const feed = createFeed(run.id, hasEnded(run.status));
  feeds.set(run.id, feed);
  return feed;
}

/** Everything that a Run has reported, live until its end, each item once. `again` resumes after a failed read. */
export function useRunFeed(run: Run): RunFeed & { again: () => void } {
  // The feed is made for the Run as it was first seen: it goes on through every later status.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another Run has another feed
  const feed = useMemo(() => feedOf(run), [run.id]);
  const shown = useSyncExternalStore(feed.subscribe, feed.read);
  return useMemo(() => ({ ...shown, again: feed.again }), [shown, feed]);
}
