import type { Installed, ReleaseChannel, ReleaseRecord, ReleaseVerdict } from '#server/index';
import type { PackageOrigin } from './package-origin.ts';
import type { UpdateTexts } from './update-texts.ts';
import type { Updater } from './updater.ts';

/** A question for the person; answers the index of the chosen button. */
export type Question = { message: string; detail?: string; buttons?: readonly string[] };

export type UpdateParts = {
  t: UpdateTexts;
  channel: ReleaseChannel | undefined;
  origin: PackageOrigin;
  installed: Installed;
  fetchRelease(channel: ReleaseChannel): Promise<ReleaseRecord>;
  judgeRelease(record: ReleaseRecord, installed: Installed): ReleaseVerdict;
  openUpdater(channel: ReleaseChannel): Promise<Updater>;
  /** Shows a dialog; without buttons it has one that closes it. */
  showDialog(question: Question): Promise<number>;
  /** Records that a silent check found no update. */
  reportNone(statement: Question): void;
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
 * Creates the actions that look for an update and install it, each step with the consent of the person. A second call
 * while one is at work does nothing.
 */
export function createUpdates(parts: UpdateParts) {
  let isAtWork = false;
  const once = async (work: () => Promise<void>): Promise<void> => {
    if (isAtWork) return;
    isAtWork = true;
    try {
      await work();
    } finally {
      isAtWork = false;
    }
  };
  return {
    /** Says what it found, also when that is nothing. */
    check: () =>
      once(async () => {
        const found = await findUpdate(parts);
        if ('updater' in found) await offer(parts, found);
        else await parts.showDialog(found);
      }),
    /** Is silent unless there is an update, because the person did nothing. */
    checkAtStart: () =>
      once(async () => {
        const found = await findUpdate(parts);
        if ('updater' in found) await offer(parts, found);
        else parts.reportNone(found);
      }),
  };
}

type Ready = { record: ReleaseRecord; updater: Updater };

/** Returns the update that can be downloaded, or the statement that there is none. */
async function findUpdate(parts: UpdateParts): Promise<Ready | Question> {
  const { t, channel, origin } = parts;
  if (!channel) return { message: t.noChannel, detail: `${t.origins[origin]} ${t.noChannelWhy}` };
  try {
    const record = await parts.fetchRelease(channel);
    const verdict = parts.judgeRelease(record, parts.installed);
    if (verdict !== 'newer') return refusalOf(verdict, { t, record });
    const updater = await parts.openUpdater(channel);
    const offered = await updater.check(record);
    return offered === 'offered' ? { record, updater } : refusalOf(offered, { t, record });
  } catch (error) {
    return { message: t.cannotCheck, detail: messageOf(error) };
  }
}

async function offer(parts: UpdateParts, ready: Ready): Promise<void> {
  if (await mayDownload(parts, ready.record)) await downloadAndInstall(parts, ready);
}

type Refused = Exclude<ReleaseVerdict, 'newer'> | 'waiting' | 'other';

function refusalOf(refused: Refused, { t, record }: { t: UpdateTexts; record: ReleaseRecord }): Question {
  const questions: Record<Refused, Question> = {
    current: { message: t.current, detail: t.origins.signed },
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
    await updater.install();
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
