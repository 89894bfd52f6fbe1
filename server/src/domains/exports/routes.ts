import { actorOf, type Mount, ok, type Streamed } from '#server/kernel/http/index';
import { exportsApi } from '#shared/exports/api';
import { type ExportLine, exportMediaType } from '#shared/exports/contract';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { ExportsService } from './service.ts';

export const exportsRoutes = (mount: Mount, exports: ExportsService): void =>
  mount(exportsApi, {
    exportCapsule: async ({ params, body: { withState, ...rest }, caller }) => {
      nothingLeft(rest);
      const lines = exports.export(params.capsuleId, { withState }, actorOf(caller));
      // The first line is read before the answer starts, so that a missing archive is a refusal.
      const first = await lines.next();
      return streamOf(first, lines);
    },
    readState: ({ params, body: { use, output, ...rest }, caller }) => {
      nothingLeft(rest);
      return ok({ state: exports.readState(params.capsuleId, { use, output }, actorOf(caller)) });
    },
  });

/** An answer that breaks off has no last line, so the reader knows that it is incomplete. */
function streamOf(first: IteratorResult<ExportLine, void>, lines: AsyncGenerator<ExportLine>): Streamed {
  const textOf = (line: ExportLine) => `${JSON.stringify(line)}\n`;
  return {
    stream: {
      contentType: exportMediaType,
      start(out, signal) {
        const write = async () => {
          for (let next = first; !next.done && !signal.aborted; next = await lines.next())
            if (!out.write(textOf(next.value))) await drained(out, signal);
        };
        const end = () => out.end();
        write().then(end, end);
      },
    },
  };
}

const drained = (out: { onDrain(work: () => void): void }, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    out.onDrain(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
