import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { Streamed } from '#server/kernel/http/index';
import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import { isTerminal } from '#shared/kernel/machine';
import type { runsApi } from '#shared/runs/api';
import type { AuditEvent, LogEntry, StoredFeedItem } from '#shared/runs/feed';
import { runMachine } from '#shared/runs/machine';
import { streamFeed } from './feed-stream.ts';
import type { RunsService } from './service.ts';

type LogQuery = QueryOf<typeof runsApi.getRunLogs>;

const spread = <T>({ seq, at, payload }: StoredFeedItem): T => ({ seq, at, ...payload }) as T;
const everything = 1_000_000;
const streamPage = 1_000;

/** Reads a Run's feed: pages of the log, the whole log as text, the list of audit events, the live stream. */
export function createFeedReader({ runs, clock }: { runs: RunsService; clock: Clock }) {
  const { feed } = runs;
  const auditEvents = (runId: string): AuditEvent[] =>
    feed.listKind(runId, 'audit', { after: 0, limit: everything }).map(spread<AuditEvent>);

  function pageOf(runId: string, query: LogQuery): { items: StoredFeedItem[]; nextAfter?: number } {
    const { after, before, limit, ...rest } = query;
    nothingLeft(rest);
    if (before !== undefined) {
      const end = before === 'end' ? Number.MAX_SAFE_INTEGER : before;
      return { items: feed.listKindBefore(runId, 'log', { before: end, limit }) };
    }
    const items = feed.listKind(runId, 'log', { after: after ?? 0, limit });
    const more = items.length === limit || !isTerminal(runMachine, runs.getRecord(runId).status);
    const last = items.at(-1)?.seq ?? after ?? 0;
    return { items, ...(more && { nextAfter: last }) };
  }

  return {
    auditEvents,

    logs(runId: string, query: LogQuery) {
      if (query.after !== undefined && query.before !== undefined) {
        throw new AppError('invalid_request', 'Give either after or before, not both.', {
          details: { field: '/before' },
        });
      }
      const { items, ...rest } = pageOf(runId, query);
      return {
        diagnostics: feed.listKind(runId, 'diagnostic', { after: 0, limit: everything }).map(spread<never>),
        auditEvents: auditEvents(runId),
        entries: items.map(spread<LogEntry>),
        lineCount: feed.countKind(runId, 'log'),
        ...rest,
      };
    },

    /** Streams the whole log page by page, so that a long one is never in memory as a whole. */
    text: (runId: string): Streamed => ({
      stream: {
        contentType: 'text/plain; charset=utf-8',
        start(out, signal) {
          let after = 0;
          const pump = () => {
            while (!signal.aborted) {
              const items = feed.listKind(runId, 'log', { after, limit: streamPage });
              if (items.length === 0) return out.end();
              after = items.at(-1)?.seq ?? after;
              const lines = items.map(({ payload }) => `${stripVTControlCharacters(String(payload['text']))}\n`);
              if (!out.write(lines.join(''))) return out.onDrain(pump);
            }
          };
          pump();
        },
      },
    }),

    live: (runId: string, from: { after: number; kinds: readonly string[] | undefined }): Streamed => ({
      stream: {
        contentType: 'text/event-stream',
        start: (out, signal) => streamFeed({ runs, clock, runId, out, signal, ...from }),
      },
    }),
  };
}
export type FeedReader = ReturnType<typeof createFeedReader>;
