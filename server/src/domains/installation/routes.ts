import { actorOf, type Caller, type Mount, ok } from '#server/kernel/http/index';
import { installationApi, installationOperatorApi } from '#shared/installation/api';
import type { QueryOf } from '#shared/kernel/endpoint';
import type { InstallationService } from './service.ts';

export function installationRoutes(mount: Mount, installation: InstallationService): void {
  const get = () => ok({ installation: installation.get() });
  type ListMembers = QueryOf<typeof installationApi.listReviewedMembers>;
  type ListConnections = QueryOf<typeof installationApi.listReviewedConnections>;
  const listMembers = ({ query }: { query: ListMembers }) => ok(installation.listMembers(query));
  const listConnections = ({ query }: { query: ListConnections }) => ok(installation.listConnections(query));
  const resume = ({ caller }: { caller: Caller }) => {
    installation.resume(actorOf(caller));
    return get();
  };
  mount(installationApi, {
    getInstallation: get,
    listReviewedMembers: listMembers,
    listReviewedConnections: listConnections,
    resumeInstallation: resume,
  });
  mount(installationOperatorApi, {
    getInstallationAsOperator: get,
    listReviewedMembersAsOperator: listMembers,
    listReviewedConnectionsAsOperator: listConnections,
    resumeInstallationAsOperator: resume,
  });
}
