import type { Installed, ReleaseChannel, ReleaseRecord, ReleaseVerdict } from '#server/index';
import type { UpdateTexts } from './update-texts.ts';
import type { Updater } from './updater.ts';

/** A question for the person; answers the index of the chosen button. */
export type Question = { message: string; detail?: string; buttons?: readonly string[] };

export type UpdateParts = {
  t: UpdateTexts;
  channel: ReleaseChannel | undefined;
  installed: Installed;
  fetchRelease(channel: ReleaseChannel): Promise<ReleaseRecord>;
  judgeRelease(record: ReleaseRecord, installed: Installed): ReleaseVerdict;
  openUpdater(channel: ReleaseChannel): Promise<Updater>;
  /** Shows a dialog; without buttons it has one that closes it. */
  showDialog(question: Question): Promise<number>;
  openNotes(url: string): void;
  /** Ids of the Runs whose supervisor is alive on this machine. */
  findSupervisedRuns(): readonly string[];
  stopServer(): Promise<void>;
  /** Copies the ledger of the stopped server. */
  copyLedger(): void;
  /** Starts the desktop again in the version that it has. */
  startAgain(): void;
};

const fill = (text: string, values: Record<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Creates the action that looks for an update and installs it, each step with the consent of the person. A second call
 * while one is at work does nothing.
 */
export function createUpdates(parts: UpdateParts): { check(): Promise<void> } {
  let isAtWork = false;
  return {
    async check() {
      if (isAtWork) return;
      isAtWork = true;
      try {
        await checkOnce(parts);
      } finally {
        isAtWork = false;
      }
    },
  };
}

async function checkOnce(parts: UpdateParts): Promise<void> {
  const { t, channel, showDialog } = parts;
  if (!channel) return void (await showDialog({ message: t.noChannel, detail: t.noChannelWhy }));
  let record: ReleaseRecord;
  let updater: Updater;
  let offer: Awaited<ReturnType<Updater['check']>>;
  try {
    record = await parts.fetchRelease(channel);
    const verdict = parts.judgeRelease(record, parts.installed);
    if (verdict !== 'newer') return void (await showDialog(refusalOf(verdict, { t, record })));
    updater = await parts.openUpdater(channel);
    offer = await updater.check(record);
  } catch (error) {
    return void (await showDialog({ message: t.cannotCheck, detail: messageOf(error) }));
  }
  if (offer !== 'offered') return void (await showDialog(refusalOf(offer, { t, record })));
  if (await mayDownload(parts, record)) await downloadAndInstall(parts, { record, updater });
}

type Refused = Exclude<ReleaseVerdict, 'newer'> | 'waiting' | 'other';

function refusalOf(refused: Refused, { t, record }: { t: UpdateTexts; record: ReleaseRecord }): Question {
  const questions: Record<Refused, Question> = {
    current: { message: t.current },
    behind_ledger: { message: t.behindLedger, detail: t.behindLedgerWhy },
    waiting: { message: t.waiting, detail: t.waitingWhy },
    other: { message: t.otherUpdate, detail: t.otherUpdateWhy },
  };
  const { message, ...more } = questions[refused];
  return { message: fill(message, { version: record.version }), ...more };
}

async function mayDownload({ t, showDialog, openNotes }: UpdateParts, record: ReleaseRecord): Promise<boolean> {
  for (;;) {
    const message = fill(t.available, { version: record.version });
    const answer = await showDialog({ message, detail: t.availableWhy, buttons: [t.download, t.notes, t.later] });
    if (answer !== 1) return answer === 0;
    openNotes(record.notesUrl);
  }
}

type Ready = { record: ReleaseRecord; updater: Updater };

async function downloadAndInstall(parts: UpdateParts, { record, updater }: Ready): Promise<void> {
  const { t, showDialog } = parts;
  try {
    await updater.download();
  } catch {
    return void (await showDialog({ message: t.downloadFailed, detail: t.downloadFailedWhy }));
  }
  const buttons = [t.installNow, t.later];
  if ((await showDialog({ message: fill(t.ready, { version: record.version }), detail: t.readyWhy, buttons })) !== 0)
    return;
  if (await isBusy(parts)) return;
  await parts.stopServer();
  // A Run may have started between the question and the stop.
  if (await isBusy(parts)) return parts.startAgain();
  try {
    parts.copyLedger();
    updater.install();
  } catch (error) {
    await showDialog({ message: t.installFailed, detail: messageOf(error) });
    parts.startAgain();
  }
}

/** Reports whether a supervisor lives here, and says for which Runs. */
async function isBusy({ t, showDialog, findSupervisedRuns }: UpdateParts): Promise<boolean> {
  const runs = findSupervisedRuns();
  if (runs.length > 0) await showDialog({ message: t.busy, detail: fill(t.busyWhy, { runs: runs.join(', ') }) });
  return runs.length > 0;
}
