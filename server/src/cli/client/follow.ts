import type { RunStatus } from '#shared/runs/contract';
import type { Diagnostic, LogEntry } from '#shared/runs/feed';
import { exitCodes } from '../exit-codes.ts';
import type { Work } from './command.ts';
import { followEvents, type RunEvent } from './events.ts';
import { diagnosticText } from './run-text.ts';
import { programLine, type Terminal } from './terminal.ts';

const reportedKinds = ['log', 'diagnostic'] as const;
const all = ['audit', 'status', 'resource', 'log', 'phase', 'diagnostic'] as const;

/** Returns the exit code for the status of a Run that a command waited for. */
export const exitCodeOf = (status: RunStatus): number => {
  if (status === 'succeeded') return exitCodes.done;
  return status === 'waiting_approval' ? exitCodes.waits : exitCodes.failed;
};

type Follow = { runId: string; report: (event: RunEvent) => void; kinds?: readonly string[] };

/** Follows a Run until it ends or waits for an approval, and returns its status. */
export async function followRun(work: Pick<Work, 'server' | 'signal' | 'terminal'>, input: Follow): Promise<RunStatus> {
  const { server, signal, terminal } = work;
  const { runId, report, kinds = reportedKinds } = input;
  const onLost = () =>
    terminal.note('The connection to the server was lost. It resumes as soon as the server answers.');
  const events = followEvents({ server, runId, kinds: [...new Set([...kinds, 'status'])], signal, onLost });
  for await (const event of events) {
    if (kinds.includes(event.name)) report(event);
    const status = event.name === 'status' || event.name === 'end' ? (event.data['status'] as RunStatus) : undefined;
    // The approval may have been answered long ago, so the current status of the Run decides.
    if (status === 'waiting_approval' && (await statusOf(server, runId)) === status) return status;
    if (event.name === 'end') return status ?? statusOf(server, runId);
  }
  return statusOf(server, runId);
}

const statusOf = async (server: Work['server'], runId: string): Promise<RunStatus> =>
  (await server.api.getRun({ params: { runId } })).body.run.status;

/** Prints the log of a Run as it arrives: lines for a person, events as JSON for a program. */
export const createLogReporter = (
  terminal: Terminal,
): { report: (event: RunEvent) => void; kinds: readonly string[] } =>
  terminal.isJson
    ? { kinds: [...all, 'end'], report: ({ name, data }) => terminal.document({ event: name, ...data }) }
    : { kinds: reportedKinds, report: (event) => reportLine(terminal, event) };

/** Prints the log as lines, for an installation whose result is one document. */
export const createLineReporter = (terminal: Terminal) => (event: RunEvent) => reportLine(terminal, event);

function reportLine(terminal: Terminal, { name, data }: RunEvent): void {
  if (name === 'log') terminal.say(programLine(terminal.paint, (data as LogEntry).text));
  if (name === 'diagnostic')
    for (const line of diagnosticText(data as unknown as Diagnostic, terminal.paint)) terminal.say(line);
}
