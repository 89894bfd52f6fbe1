import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseHandshake, pluginEnvironment, requestSchema, type Schema } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import { buildPaths } from '../../os/build-sandbox.ts';
import { atSocket } from '../../os/socket-file.ts';
import { runCommand } from '../command/command.ts';
import type { StreamSink } from '../reporting/reporter.ts';
import type { CommandRequest, SupervisedRun } from '../run.ts';
import type { InstalledProvider } from './installed-providers.ts';

/** Time limit in seconds; the largest providers need some seconds to start. */
const limitSeconds = 30;

/**
 * Starts a provider alone, in a sandbox without the module, its state, a network or credentials, and reads its schema.
 * Undefined when it returns none.
 */
export async function takeSchema(run: SupervisedRun, provider: InstalledProvider): Promise<Schema | undefined> {
  const folders = makeFolders(run);
  const { sink, firstLine } = readFirstLine();
  const answer = firstLine.then((line) => requestFrom(run, line, folders.tmp)).catch(() => undefined);
  const variables = Object.entries(pluginEnvironment).map(([name, value]) => `${name}=${value}`);
  const request: CommandRequest = {
    name: 'schema',
    phase: 'init',
    argv: ['/usr/bin/env', ...variables, `./${provider.program}`],
    sink,
    network: false,
    writable: { state: false, data: false },
    variables: undefined,
    hasPlan: false,
    outlives: false,
    cliConfig: '',
    build: { ...folders, tree: provider.folder, workDir: '.', isReadOnly: true },
  };
  await runCommand(run, request, { limitSeconds });
  return answer;
}

function makeFolders({ layout }: SupervisedRun): { home: string; tmp: string } {
  const { sockets } = layout.host;
  const folders = { home: path.join(sockets, 'home'), tmp: path.join(sockets, 'tmp') };
  removeTree(sockets);
  // Not recursive: others may write to the parent folder, and an existing folder of theirs must not be used.
  for (const folder of [sockets, folders.home, folders.tmp]) mkdirSync(folder, { mode: 0o700 });
  return folders;
}

const lineMaxBytes = 65_536;

/** Reads the first line that a provider prints; empty when it ends without one. */
function readFirstLine(): { sink: StreamSink; firstLine: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  const sink: StreamSink = {
    stdout(chunk) {
      if (text.length > lineMaxBytes) return;
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    },
    stderr() {},
    end: () => resolve(''),
  };
  return { sink, firstLine: promise };
}

async function requestFrom({ spec }: SupervisedRun, line: string, tmp: string): Promise<Schema | undefined> {
  const handshake = parseHandshake(line);
  if (handshake === undefined) return undefined;
  const { protocol, socket } = handshake;
  const seen = spec.sandbox === 'bwrap' ? buildPaths.tmp : tmp;
  if (path.posix.dirname(socket) !== seen) return undefined;
  const message = await atSocket(path.join(tmp, path.posix.basename(socket)), (file) => requestSchema(file, protocol));
  return message && { protocol, message };
}
