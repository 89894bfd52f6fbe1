import { app, dialog } from 'electron';
import type { Log, RunningServer } from '#server/index';
import type { Texts } from './texts.ts';

type FaultReport = { t: Texts; logFile: string };

/** Shows why the server could not start and the remedy; an unexpected error is shown with its own message. */
export function showStartFailure(error: unknown, { t, logFile }: FaultReport): void {
  const message = error instanceof Error ? error.message : String(error);
  dialog.showErrorBox(t.cannotStart, `${message}\n\n${t.seeLog} ${logFile}`);
}

/**
 * Stops a server when another one was promoted in its place, and shows the reason: its pages answer nothing any more.
 * Resolves when the person has read it.
 */
export async function endSuperseded(
  { superseded }: Pick<RunningServer, 'superseded'>,
  { stop, createReport }: { stop: () => Promise<void>; createReport: () => FaultReport },
): Promise<void> {
  const reason = await superseded;
  const { t, logFile } = createReport();
  await stop();
  dialog.showErrorBox(t.superseded, `${reason}\n\n${t.seeLog} ${logFile}`);
}

/**
 * A fault of this process is a fault of the server, after which its memory cannot be trusted. It is shown in a dialog,
 * and the process exits at once, as a killed server would; the ledger and the supervisors are designed for that.
 */
export function endOnFault(log: Log, createReport: () => FaultReport): void {
  let isReported = false;
  const end = (error: unknown) => {
    if (isReported) return;
    isReported = true;
    const err = error instanceof Error ? { name: error.name, message: error.message, stack: error.stack } : {};
    log.error({ err }, 'the desktop ends after a fault');
    if (app.isReady() && confirmRestart(createReport())) app.relaunch();
    app.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

const confirmRestart = ({ t, logFile }: FaultReport): boolean =>
  dialog.showMessageBoxSync({
    type: 'error',
    title: 'Ground Control',
    message: t.stopped,
    detail: `${t.stoppedWhy}\n\n${t.seeLog} ${logFile}`,
    buttons: [t.restart, t.end],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  }) === 0;
