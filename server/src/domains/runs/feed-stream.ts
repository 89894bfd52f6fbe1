import type { Clock } from '#server/kernel/clock';
import { type Streamed, sseEvent } from '#server/kernel/http/index';
import { isTerminal } from '#shared/kernel/machine';
import { limits } from '#shared/limits';
import type { StoredFeedItem } from '#shared/runs/feed';
import { runMachine } from '#shared/runs/machine';
import type { RunsService } from './service.ts';

type Out = Parameters<Streamed['stream']['start']>[0];
type FeedStreamInput = {
  runs: RunsService;
  clock: Clock;
  runId: string;
  /** Sequence number of the last item that the reader received. */
  after: number;
  /** Names of the requested events; undefined for all. */
  kinds: readonly string[] | undefined;
  out: Out;
  signal: AbortSignal;
};

const pageItems = 1_000;

/**
 * Writes every item after a sequence number, then new items, then `end`. A slow reader is served from the ledger at its
 * own pace. `hb` carries the server clock and shows that the stream is alive.
 */
export function streamFeed({ runs, clock, runId, after, kinds, out, signal }: FeedStreamInput): void {
  let seen = after;
  let state: 'flowing' | 'blocked' | 'ended' = 'flowing';
  const wants = (name: string) => kinds === undefined || kinds.includes(name);

  const sendPage = (items: readonly StoredFeedItem[]): boolean => {
    seen = items.at(-1)?.seq ?? seen;
    const events = items.filter(({ kind }) => wants(kind)).map((item) => sseEvent(item.kind, dataOf(item), item.seq));
    return events.length === 0 || out.write(events.join(''));
  };
  const endWhenTerminal = (): void => {
    const { status } = runs.getRecord(runId);
    if (!isTerminal(runMachine, status)) return;
    state = 'ended';
    if (wants('end')) out.write(sseEvent('end', { runId, status }, seen));
    out.end();
  };
  const block = (): void => {
    state = 'blocked';
    out.onDrain(() => {
      state = 'flowing';
      pump();
    });
  };
  const pump = (): void => {
    while (state === 'flowing' && !signal.aborted) {
      const items = runs.feed.listAfter(runId, seen, pageItems);
      if (items.length === 0) {
        endWhenTerminal();
        return;
      }
      if (!sendPage(items)) block();
    }
  };

  const beat = () => {
    if (wants('hb')) out.write(sseEvent('hb', { now: clock.now() }));
  };
  const timer = setInterval(beat, limits.sseHeartbeatSeconds * 1_000);
  const unsubscribe = runs.onFeed(runId, pump);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    unsubscribe();
  });
  beat();
  pump();
}

/** Returns the data of an item. A status has its own time; every other item carries its sequence number and time. */
const dataOf = ({ kind, seq, at, payload }: StoredFeedItem): unknown =>
  kind === 'status' ? { ...payload, at } : { seq, at, ...payload };
