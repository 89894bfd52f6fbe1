import { commandText } from '#shared/install-configs/build-text';
import type { SourceBuild } from '#shared/install-configs/source-build';
import type { Work } from './command.ts';
import { oneLine } from './text.ts';

/** Shows the exact commands that run before the plan, and whether a sandbox isolates them from the machine. */
export async function reportBuild({ server, terminal }: Work, build: SourceBuild | undefined): Promise<void> {
  if (build === undefined) return;
  const { sandbox } = (await server.api.getCapabilities({})).body.runner;
  const where =
    sandbox === 'none'
      ? 'without a sandbox, with the rights of the server, if its operator allows that'
      : 'without network and credentials';
  terminal.note(`Before the plan this is run in a copy of the repository, ${where}:`);
  for (const command of build.commands) terminal.note(`  ${oneLine(commandText(command))}`);
  terminal.note(`Files that are taken from it: ${build.outputs.map(oneLine).join(', ')}`);
}
