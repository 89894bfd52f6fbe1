import { exitCodes } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { createLogReporter, exitCodeOf, followRun } from './follow.ts';
import { statusText } from './run-text.ts';

/** Prints the log of a Run so far; with `-f` it follows the Run to its end and returns the matching exit code. */
export const runLogs = atServer({ whenUnread: 'stops' }, async (work) => {
  const { terminal, args, options, server } = work;
  const [runId = ''] = args;
  if (!options.follow) return printLog(work, runId);
  work.leaves.message = `The Run continues. Read it again with: groundctl logs -f ${runId}`;
  const status = await followRun(work, { runId, ...createLogReporter(terminal) });
  if (status === 'waiting_approval') terminal.note(`The plan waits for an approval: ${server.link(`/runs/${runId}`)}`);
  else terminal.note(`The Run ${statusText(status, terminal.paint)}.`);
  return exitCodeOf(status);
});

async function printLog({ server, terminal }: Work, runId: string): Promise<number> {
  const { report } = createLogReporter(terminal);
  let after: number | undefined;
  do {
    const query = { limit: '5000', ...(after !== undefined && { after: String(after) }) };
    const { body } = await server.api.getRunLogs({ params: { runId }, query });
    const items = [
      ...body.entries.map((data) => ({ name: 'log', data })),
      ...body.diagnostics.map((data) => ({ name: 'diagnostic', data })),
    ];
    for (const item of items.sort((a, b) => a.data.seq - b.data.seq)) report(item);
    after = body.nextAfter;
  } while (after !== undefined && !terminal.isClosed());
  return exitCodes.done;
}
