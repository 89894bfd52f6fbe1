import path from 'node:path';
import type { FormPackageRecord } from '#shared/form-packages/contract';
import { FormPackageFileName } from '#shared/form-packages/package';
import type { Json } from '#shared/kernel/json';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import type { ParsedCommand } from '../options.ts';
import { atServer, atTerminal, type TerminalWork } from './command.ts';
import { operatorOf } from './operator.ts';
import { readPackageFile } from './package-file.ts';
import { readAll } from './pages.ts';
import { oneLine, tableText } from './text.ts';

type Stopped = (dataDir: string, work: TerminalWork) => Promise<number>;

/** Creates a command for a running server that works on the data folder itself when no server runs on it. */
const atServerOrFolder =
  (running: (parsed: ParsedCommand) => Promise<number>, kind: 'stops' | 'goesOn', stopped: Stopped) =>
  async (parsed: ParsedCommand): Promise<number> => {
    // Loaded here, because it brings the code of the server.
    const { findStoppedFolder } = await import('./stopped-folder.ts');
    const dataDir = findStoppedFolder(parsed.options);
    if (dataDir === undefined) return running(parsed);
    return atTerminal({ whenUnread: kind }, (work) => stopped(dataDir, work))(parsed);
  };

/** Installs one package: into a running server, or as a file that the next start reads. */
export const runFormsInstall = atServerOrFolder(
  atServer({ whenUnread: 'goesOn' }, async (work) => {
    const operator = operatorOf(work.server);
    const body = readCandidate(work);
    const { status, body: answer } = await operator.installFormPackage({ body });
    return sayInstalled(work, { record: answer.formPackage, isNew: status === 201 });
  }),
  'goesOn',
  async (dataDir, work) => {
    const { installInFolder } = await import('./forms-folder.ts');
    const result = await installInFolder(dataDir, readCandidate(work));
    return sayInstalled(work, { ...result, readAtStart: true });
  },
);

/** Lists the packages of the server, or those of the folder. */
export const runFormsList = atServerOrFolder(
  atServer({ whenUnread: 'stops' }, async ({ server, terminal }) => {
    const operator = operatorOf(server);
    const packages = await readAll(async (page) => {
      const { body } = await operator.listFormPackages({ query: page });
      return { rows: body.packages, nextCursor: body.nextCursor };
    });
    return sayList(terminal, packages);
  }),
  'stops',
  async (dataDir, { terminal }) => {
    const { listInFolder } = await import('./forms-folder.ts');
    return sayList(terminal, await listInFolder(dataDir));
  },
);

function readCandidate({ args, options }: Pick<TerminalWork, 'args' | 'options'>): { file: string; package: Json } {
  const [source = ''] = args;
  const file = options.name ?? path.basename(source);
  if (!FormPackageFileName.safeParse(file).success)
    throw wrongUse(
      'A file in forms/ is named by letters, digits, ".", "_" and "-", and .json at the end. Choose such a name with --name.',
    );
  const read = readPackageFile(source);
  if ('reason' in read) throw wrongUse(`The package file cannot be used. ${read.reason}`);
  return { file, package: read.json };
}

type Installed = { record: FormPackageRecord; isNew: boolean; readAtStart?: true };

function sayInstalled({ terminal }: TerminalWork, { record, isNew, readAtStart }: Installed): number {
  const name = `${record.formRef?.kind} ${record.formRef?.definitionVersion}`;
  const next = readAtStart ? ' The server reads it at its next start.' : '';
  if (terminal.isJson) terminal.document({ formPackage: record, isNew });
  else if (isNew) terminal.say(`${oneLine(name)} is installed as forms/${record.file}.${next}`);
  else terminal.say(`${oneLine(name)} is installed already, as forms/${record.file}. Nothing was changed.`);
  return exitCodes.done;
}

function sayList(terminal: TerminalWork['terminal'], packages: readonly FormPackageRecord[]): number {
  if (terminal.isJson) terminal.document({ packages });
  else if (packages.length === 0) terminal.say('No form packages. Install one with: groundctl forms install FILE');
  else for (const line of linesOf(packages, terminal)) terminal.say(line);
  return exitCodes.done;
}

const linesOf = (packages: readonly FormPackageRecord[], { paint }: TerminalWork['terminal']): string[] =>
  tableText(
    ['FILE', 'KIND', 'VERSION', 'PACKAGE', 'STATE', 'SPACES', 'REASON'],
    packages.map((one) => [
      one.file ?? '(gone)',
      one.formRef?.kind ?? '',
      one.formRef?.definitionVersion ?? '',
      one.packageDigest?.slice('sha256:'.length, 'sha256:'.length + 12) ?? '',
      stateOf(one),
      spacesOf(one),
      one.reason ?? '',
    ]),
    paint,
  );

function stateOf({ installed, executable, deprecated }: FormPackageRecord): string {
  if (!installed) return 'not installed';
  return ['installed', ...(executable ? [] : ['not executable']), ...(deprecated ? ['deprecated'] : [])].join(', ');
}

function spacesOf({ activation }: FormPackageRecord): string {
  if (!activation) return '';
  const { spaces } = activation;
  if (spaces.includes('*')) return 'all';
  return spaces.length <= 1 ? (spaces[0] ?? 'none') : `${spaces.length} spaces`;
}
