import { deepLinkOf } from '#shared/dashboard/deep-link';
import { spawnDetached } from '../../runner/index.ts';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { openBrowser } from '../open-browser.ts';
import type { ParsedCommand } from '../options.ts';
import { findCapsule } from './capsules.ts';
import { atServer, atTerminal, type TerminalWork } from './command.ts';
import { findServerLocation, here, type ServerLocation } from './server-location.ts';

/** Pages of the dashboard by the prefix of a record's id. */
const pages: Readonly<Record<string, string>> = {
  cap: 'capsules',
  plan: 'runs',
  apply: 'runs',
  sync: 'runs',
  src: 'sources',
  conn: 'connections',
  if: 'interfaces',
};

/** Opens the page of a record, or the dashboard, in the running desktop or in the browser. */
export const runOpen = (parsed: ParsedCommand): Promise<number> => {
  if (parsed.args.length > 1) throw wrongUse('groundctl open does not accept more than one record.');
  return parsed.args.length === 0 ? openDashboard(parsed) : openRecord(parsed);
};

const openRecord = atServer({ whenUnread: 'stops' }, async ({ server, args: [named = ''], ...work }) => {
  const page = pages[/^([a-z]+)_/.exec(named)?.[1] ?? ''];
  const path =
    page === undefined
      ? `/capsules/${(await findCapsule(server, named, work.options.workspace)).id}`
      : `/${page}/${named}`;
  return show({ ...work, location: server.location, link: server.link(path), desktopLink: deepLinkOf(path) });
});

/** Needs no session, so it also works while the vault is sealed. */
const openDashboard = atTerminal({ whenUnread: 'stops' }, async (work) => {
  const location = findServerLocation({ dataDir: work.options['data-dir'], url: work.options.url });
  return show({ ...work, location, link: `${location.origin()}/`, desktopLink: '' });
});

type Shown = Pick<TerminalWork, 'terminal'> & {
  location: ServerLocation;
  link: string;
  /** Link of the page in the desktop; empty for the page that it shows, undefined for one that has no such link. */
  desktopLink: string | undefined;
};

/** Prints the address, and opens it in the desktop that runs the server; without one, in the browser. */
async function show({ terminal, location, link, desktopLink }: Shown): Promise<number> {
  if (terminal.isJson) terminal.document({ link });
  else terminal.say(link);
  if (desktopLink !== undefined && (await openDesktop(location, desktopLink))) return exitCodes.done;
  const isOpened = await openBrowser(link, here());
  if (!isOpened) terminal.note('No browser could be opened here. Open the address yourself.');
  return exitCodes.done;
}

/** Starts the program of the running desktop again: it passes the link to the first one, which comes to the front. */
async function openDesktop({ desktop }: ServerLocation, link: string): Promise<boolean> {
  const found = desktop?.();
  if (!found) return false;
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const argv = [...found.args, ...(link === '' ? [] : [link])];
  try {
    const child = await spawnDetached({ file: found.program, argv, env, stdio: ['ignore', 'ignore', 'ignore'] });
    child.unref();
    return true;
  } catch {
    return false;
  }
}
