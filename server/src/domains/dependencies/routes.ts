import { actorOf, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import { dependenciesApi } from '#shared/dependencies/api';
import type { DependenciesService } from './service.ts';

export const dependenciesRoutes = (mount: Mount, dependencies: DependenciesService): void =>
  mount(dependenciesApi, {
    getGraph: ({ params }) => ok(dependencies.graph(params.workspaceId)),
    listDependencies: ({ params }) => ok(dependencies.list(params.capsuleId)),
    createDependency:
      ({ params, body, caller }) =>
      () =>
        created({ dependency: dependencies.create(params.capsuleId, body, actorOf(caller)) }),
    deleteDependency:
      ({ params, caller }) =>
      () => {
        dependencies.remove(params.dependencyId, actorOf(caller));
        return noContent();
      },
  });
