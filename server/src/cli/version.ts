import { installedProduct } from '../compose/update.ts';
import {
  fetchRelease,
  type Installed,
  judgeRelease,
  type ReleaseChannel,
  ReleaseError,
  type ReleaseRecord,
  type ReleaseVerdict,
  readReleaseChannel,
} from '../drivers/releases/index.ts';
import { exitCodes, failed } from './exit-codes.ts';
import type { ParsedCommand } from './options.ts';

/** Prints the version; with `--check` also the latest release. It installs nothing. */
export const runVersion = (parsed: ParsedCommand): Promise<number> => showVersion(parsed, readReleaseChannel());

export async function showVersion({ options }: ParsedCommand, channel: ReleaseChannel | undefined): Promise<number> {
  const installed = installedProduct();
  const latest = options.check ? await fetchLatest(channel) : undefined;
  const verdict = latest && judgeRelease(latest, installed);
  process.stdout.write(
    options.json ? `${json({ installed, latest, verdict })}\n` : text({ installed, latest, verdict }),
  );
  return exitCodes.done;
}

async function fetchLatest(channel: ReleaseChannel | undefined): Promise<ReleaseRecord> {
  if (!channel) {
    throw failed(
      'no_release_channel',
      'This copy was not made by a release, so it does not know where releases are. Update it the way you got it.',
    );
  }
  return fetchRelease(channel).catch((error: unknown) => {
    throw error instanceof ReleaseError ? failed('release_unknown', error.message) : error;
  });
}

type Answer = { installed: Installed; latest: ReleaseRecord | undefined; verdict: ReleaseVerdict | undefined };

const json = ({ installed, latest, verdict }: Answer): string =>
  JSON.stringify({
    version: installed.version,
    ledger: installed.ledger,
    ...(latest && {
      latest: { version: latest.version, publishedAt: latest.publishedAt, notesUrl: latest.notesUrl },
      verdict,
    }),
  });

function text({ installed, latest, verdict }: Answer): string {
  const own = `groundctl ${installed.version}\n`;
  if (!latest) return own;
  const sentences: Record<ReleaseVerdict, string> = {
    current: 'This is the latest release.',
    newer: `${latest.version} of ${latest.publishedAt.slice(0, 10)} is newer: ${latest.notesUrl}\nNothing was installed.`,
    behind_ledger: `${latest.version} is newer, but it cannot open a ledger of this version. Wait for the release after it.`,
  };
  return `${own}${sentences[verdict ?? 'current']}\n`;
}
