import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { startServer, type TestServer } from '../e2e/fixtures/server.ts';
import { type Api, createApi, type Run } from './api.ts';
import { type Origin, serveRepository } from './git-origin.ts';
import { type CaseResult, compare, timed } from './median.ts';

/** As many webhooks as a Workspace can have. */
const webhooks = 10;
const events = ['run.waiting', 'run.succeeded', 'run.failed', 'run.cancelled'];

type Side = { server: TestServer; api: Api; capsuleId: string };

/** A receiver of webhooks and mail that accepts connections and never answers. */
async function startHanging(): Promise<{ port: number; isCalled(): boolean; close(): void }> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, isCalled: () => sockets.size > 0, close };
}

async function install(api: Api, workspaceId: string, { url }: Origin): Promise<string> {
  const source = { name: 'bench', url, ref: 'main', path: '.' };
  const created = await api.createInstallPlan(workspaceId, {
    source,
    capsule: { name: 'bench', environment: 'default' },
  });
  const { planRunId = '', capsuleId = '' } = await api.reconcile(created);
  await api.waitForRun((await api.apply(planRunId)).id);
  return capsuleId;
}

async function openSide(entry: string, origin: Origin, port?: number): Promise<Side> {
  const hanging = { GROUNDCTL_WEBHOOK_HOSTS: 'localhost', GROUNDCTL_SMTP_URL: `smtp://localhost:${port}` };
  const env = { ...hanging, GROUNDCTL_SMTP_FROM: 'ground@example.com' };
  const server = await startServer({ entry, ...(port !== undefined && { env }) });
  const api = createApi(server);
  const workspaceId = await api.workspaceId();
  for (let index = 0; port !== undefined && index < webhooks; index += 1) {
    const url = `http://localhost:${port}/${index}`;
    await api.post(`/workspaces/${workspaceId}/webhooks`, { name: `hanging ${index}`, url, events });
  }
  return { server, api, capsuleId: await install(api, workspaceId, origin) };
}

const plan = ({ api, capsuleId }: Side): Promise<{ ms: number }> =>
  timed(async () => {
    const { run } = await api.post<{ run: Run }>(`/capsules/${capsuleId}/plan`);
    const status = await api.waitForRun(run.id);
    if (status !== 'succeeded') throw new Error(`The Run ended ${status}: its time says nothing.`);
  });

/** A plan whose every event hangs at ten webhooks and the mail server, against one without receivers. */
export async function hangingReceivers(samples: number, entry: string): Promise<CaseResult[]> {
  const origin = await serveRepository(0);
  const receiver = await startHanging();
  const sides: Side[] = [];
  try {
    const beside = await openSide(entry, origin, receiver.port);
    sides.push(beside);
    const alone = await openSide(entry, origin);
    sides.push(alone);
    const times: { beside: number[]; alone: number[] } = { beside: [], alone: [] };
    for (let index = 0; index < samples; index += 1) {
      times.beside.push((await plan(beside)).ms);
      times.alone.push((await plan(alone)).ms);
    }
    if (!receiver.isCalled()) throw new Error('No receiver was called: the times say nothing.');
    return [compare('plan beside receivers that hang', times.beside, times.alone)];
  } finally {
    for (const { server } of sides) await server.stop();
    receiver.close();
    await origin.close();
  }
}
