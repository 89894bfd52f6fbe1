import { actorOf, type Caller, created, type Mount, noContent, ok } from '#server/kernel/http/index';
import type { BodyOf, QueryOf } from '#shared/kernel/endpoint';
import { runnerPoolsApi, runnerPoolsOperatorApi } from '#shared/runner-pools/api';
import type { MachineEvent } from '#shared/runner-pools/machine';
import type { RunnerPoolsService } from './service.ts';

type Api = typeof runnerPoolsApi;
type OfPool = { params: { poolId: string }; caller: Caller };
type OfMachine = { params: { machineId: string }; caller: Caller };
type OfWorkspace = { params: { workspaceId: string } };

export function runnerPoolsRoutes(mount: Mount, service: RunnerPoolsService): void {
  const pools = poolHandlers(service);
  const machines = machineHandlers(service);
  const { list, create, update, remove, set, listOfWorkspace } = pools;
  const { listMachines, move, listEnrolments, enrol, cancel, configuration } = machines;
  mount(runnerPoolsApi, {
    listRunnerPools: list,
    createRunnerPool: create,
    updateRunnerPool: update,
    removeRunnerPool: remove,
    listRunnerMachines: listMachines,
    drainRunnerMachine: move('drain'),
    resumeRunnerMachine: move('resume'),
    revokeRunnerMachine: move('revoke'),
    listRunnerEnrolments: listEnrolments,
    createRunnerEnrolment: enrol,
    cancelRunnerEnrolment: cancel,
    readNatsConfiguration: configuration,
    setWorkspaceRunnerPools: set,
    listWorkspaceRunnerPools: listOfWorkspace,
  });
  mount(runnerPoolsOperatorApi, {
    listRunnerPoolsAsOperator: list,
    createRunnerPoolAsOperator: create,
    updateRunnerPoolAsOperator: update,
    removeRunnerPoolAsOperator: remove,
    listRunnerMachinesAsOperator: listMachines,
    drainRunnerMachineAsOperator: move('drain'),
    resumeRunnerMachineAsOperator: move('resume'),
    revokeRunnerMachineAsOperator: move('revoke'),
    listRunnerEnrolmentsAsOperator: listEnrolments,
    createRunnerEnrolmentAsOperator: enrol,
    cancelRunnerEnrolmentAsOperator: cancel,
    readNatsConfigurationAsOperator: configuration,
    setWorkspaceRunnerPoolsAsOperator: set,
    listWorkspaceRunnerPoolsAsOperator: listOfWorkspace,
  });
}

const poolHandlers = (service: RunnerPoolsService) => ({
  list: ({ query }: { query: QueryOf<Api['listRunnerPools']> }) => ok(service.listPools(query)),
  create:
    ({ body, caller }: { body: BodyOf<Api['createRunnerPool']>; caller: Caller }) =>
    () =>
      created({ runnerPool: service.createPool(body, actorOf(caller)) }),
  update:
    ({ params, body, caller }: OfPool & { body: BodyOf<Api['updateRunnerPool']> }) =>
    () =>
      ok({ runnerPool: service.updatePool(params.poolId, body, actorOf(caller)) }),
  remove:
    ({ params, caller }: OfPool) =>
    () => {
      service.removePool(params.poolId, actorOf(caller));
      return noContent();
    },
  set:
    ({ params, body, caller }: OfWorkspace & { body: BodyOf<Api['setWorkspaceRunnerPools']>; caller: Caller }) =>
    () =>
      ok({ runnerPools: service.setWorkspacePools(params.workspaceId, body, actorOf(caller)) }),
  listOfWorkspace: ({ params }: OfWorkspace) => ok({ runnerPools: service.listWorkspacePools(params.workspaceId) }),
});

const machineHandlers = (service: RunnerPoolsService) => ({
  listMachines: ({ query }: { query: QueryOf<Api['listRunnerMachines']> }) => ok(service.listMachinePage(query)),
  move:
    (event: MachineEvent) =>
    ({ params, caller }: OfMachine) =>
    () =>
      ok({ runnerMachine: service.moveMachine(params.machineId, event, actorOf(caller)) }),
  configuration: async ({ query }: { query: QueryOf<Api['readNatsConfiguration']> }) =>
    ok({ configuration: await service.natsConfiguration(query) }),
  listEnrolments: ({ params, query }: Pick<OfPool, 'params'> & { query: QueryOf<Api['listRunnerEnrolments']> }) =>
    ok(service.listEnrolments(params.poolId, query)),
  enrol: async ({ params, caller }: OfPool) => {
    await service.openNats();
    return () => created(service.createEnrolment(params.poolId, actorOf(caller)));
  },
  cancel:
    ({ params, caller }: { params: { enrolmentId: string }; caller: Caller }) =>
    () =>
      ok({ runnerEnrolment: service.cancelEnrolment(params.enrolmentId, actorOf(caller)) }),
});
