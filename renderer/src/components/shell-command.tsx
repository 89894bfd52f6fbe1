import { dataFolderMeta } from '#shared/dashboard/page';
import { useText } from '../i18n/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { visibleText } from '../ui/visible-text.ts';

const findDataFolder = (): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[name="${dataFolderMeta}"]`)?.content;

/** Reports whether the server runs on this machine, where its owner can run a command. */
export const isLocalServer = (): boolean => findDataFolder() !== undefined;

/** The data folder of a local server, quoted for a shell; other servers do not name theirs. */
function dataFolder(): string {
  const folder = findDataFolder() ?? 'DIR';
  return /^[\w./:@-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", "'\\''")}'`;
}

/** A command of the command line for this server, ready to be copied. */
export const ShellCommand = ({ command }: { command: 'sign-in' | 'vault unseal' }) => (
  <CommandLine line={`npm run groundctl -- ${command} --data-dir ${dataFolder()}`} />
);

/** A line for a shell, ready to be copied. */
export function CommandLine({ line }: { line: string }) {
  const t = useText();
  return (
    <div className="mt-3 flex items-start gap-2 rounded-md border border-line bg-raised p-3">
      <code className="min-w-0 flex-1 font-mono text-sm break-words whitespace-pre-wrap">{visibleText(line)}</code>
      <CopyButton text={line} what={t('shell.command')} />
    </div>
  );
}
