import { expect } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import type { TestServer } from '../harness.ts';
import { joinPool } from '../runner-machines.ts';

/** Pools, machines and enrolments, as the local owner and as the operator. */
export async function requestRunnerPools(server: TestServer): Promise<void> {
  const { api, workspaceId } = server;
  const operator = server.as(server.operatorToken);
  const { runnerPool } = (await api.createRunnerPool({ body: { name: 'Office network', note: 'Second floor' } })).body;
  const params = { poolId: runnerPool.id };
  await api.updateRunnerPool({ params, body: { note: '' } });
  await requestMachine(server, params.poolId);
  const workspace = { workspaceId };
  const body = { poolIds: [runnerPool.id], defaultPoolId: 'local' as const };
  await api.setWorkspaceRunnerPools({ params: workspace, body });
  await api.listWorkspaceRunnerPools({ params: workspace });
  await operator.listWorkspaceRunnerPoolsAsOperator({ params: workspace });
  await operator.setWorkspaceRunnerPoolsAsOperator({ params: workspace, body: { ...body, poolIds: [] } });
  await api.listRunnerPools({ query: {} });
  await api.removeRunnerPool({ params });
  const second = { poolId: (await operator.createRunnerPoolAsOperator({ body: { name: 'Site' } })).body.runnerPool.id };
  await operator.updateRunnerPoolAsOperator({ params: second, body: { name: 'Building site' } });
  await requestMachineAsOperator(server, second.poolId);
  await operator.listRunnerPoolsAsOperator({ query: {} });
  await operator.removeRunnerPoolAsOperator({ params: second });
}

const natsQuery = { listen: '127.0.0.1:4222', folder: '/var/lib/nats' };

const join = (server: TestServer, text: string): string => server.ledger((db) => joinPool(db, text, systemClock));

async function requestMachine(server: TestServer, poolId: string): Promise<void> {
  const { api } = server;
  const params = { poolId };
  const { runnerEnrolment } = (await api.createRunnerEnrolment({ params })).body;
  await api.cancelRunnerEnrolment({ params: { enrolmentId: runnerEnrolment.id } });
  const machine = { machineId: join(server, (await api.createRunnerEnrolment({ params })).body.text) };
  await api.listRunnerEnrolments({ params, query: {} });
  await api.drainRunnerMachine({ params: machine });
  await api.resumeRunnerMachine({ params: machine });
  await api.revokeRunnerMachine({ params: machine });
  await api.readNatsConfiguration({ query: natsQuery });
  const { runnerMachines } = (await api.listRunnerMachines({ query: params })).body;
  expect(runnerMachines.map(({ state }) => state)).toEqual(['revoked']);
}

async function requestMachineAsOperator(server: TestServer, poolId: string): Promise<void> {
  const operator = server.as(server.operatorToken);
  const params = { poolId };
  const { runnerEnrolment } = (await operator.createRunnerEnrolmentAsOperator({ params })).body;
  await operator.cancelRunnerEnrolmentAsOperator({ params: { enrolmentId: runnerEnrolment.id } });
  const machine = { machineId: join(server, (await operator.createRunnerEnrolmentAsOperator({ params })).body.text) };
  await operator.listRunnerEnrolmentsAsOperator({ params, query: {} });
  await operator.drainRunnerMachineAsOperator({ params: machine });
  await operator.resumeRunnerMachineAsOperator({ params: machine });
  await operator.revokeRunnerMachineAsOperator({ params: machine });
  await operator.listRunnerMachinesAsOperator({ query: {} });
  await operator.readNatsConfigurationAsOperator({ query: natsQuery });
}
