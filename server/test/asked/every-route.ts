import type { TestServer } from '../harness.ts';
import { askPeople } from '../people.ts';
import { askAccount } from './account.ts';
import { askApplied } from './applied.ts';
import { askCapsule } from './capsules.ts';
import { askConnections } from './connections.ts';
import { askInstallation } from './installations.ts';
import { askVault } from './keys.ts';
import { askLinks } from './links.ts';
import { askOperator } from './operator.ts';
import { askRuns } from './runs.ts';
import { askSources } from './sources.ts';
import { askTokens } from './tokens.ts';
import { askWorkspace } from './workspaces.ts';

/** Asks each route of a fresh server at least once, each for what it does when all is well. `url` is of a module without variables. */
export async function askEveryRoute(server: TestServer, url: string): Promise<void> {
  await askSources(server, url);
  const capsuleId = await askInstallation(server, url);
  await askRuns(server, capsuleId);
  await askWorkspace(server, capsuleId);
  await askApplied(server, await askInstallation(server, url, 'Shop'));
  await askOperator(server, capsuleId);
  await askCapsule(server, capsuleId);
  await askConnections(server);
  await askLinks(server);
  await askVault(server);
  await askTokens(server);
  await askAccount(server);
  await askPeople(server);
}
