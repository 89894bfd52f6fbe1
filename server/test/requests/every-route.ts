import type { TestServer } from '../harness.ts';
import { requestPeople } from '../people.ts';
import { requestAccount } from './account.ts';
import { requestApplied } from './applied.ts';
import { requestBackups } from './backups.ts';
import { requestCapsule } from './capsules.ts';
import { requestConnections } from './connections.ts';
import { requestExports } from './exports.ts';
import { requestImports } from './imports.ts';
import { requestInstallation } from './installations.ts';
import { requestInterfaces } from './interfaces.ts';
import { requestIssuer } from './issuer.ts';
import { requestVault } from './keys.ts';
import { requestLateStates } from './late-states.ts';
import { requestLinks } from './links.ts';
import { requestOperator } from './operator.ts';
import { requestReview } from './restored.ts';
import { requestRunnerPools } from './runner-pools.ts';
import { requestRuns } from './runs.ts';
import { requestSources } from './sources.ts';
import { requestTokens } from './tokens.ts';
import { requestWebhooks } from './webhooks.ts';
import { requestWorkspace } from './workspaces.ts';

/** Calls each route of a fresh server at least once, each with a valid request. `url` is a module without variables. */
export async function requestEveryRoute(server: TestServer, url: string): Promise<void> {
  await requestSources(server, url);
  const capsuleId = await requestInstallation(server, url);
  await requestRuns(server, capsuleId);
  await requestWorkspace(server, capsuleId);
  await requestBackups(server);
  await requestApplied(server, await requestInstallation(server, url, 'Shop'));
  await requestOperator(server, capsuleId);
  await requestCapsule(server, capsuleId);
  await requestConnections(server);
  await requestLinks(server);
  await requestWebhooks(server);
  await requestInterfaces(server);
  await requestIssuer(server);
  await requestImports(server, capsuleId);
  await requestLateStates(server);
  await requestExports(server, capsuleId);
  await requestVault(server);
  await requestReview(server);
  await requestRunnerPools(server);
  await requestTokens(server);
  await requestAccount(server);
  await requestPeople(server);
}
