import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { loadMs } from './http-load.ts';
import { type CaseResult, compare } from './median.ts';
import { withProduct } from './product.ts';
import { install } from './product-runs.ts';

/** Requests of one round. */
const requests = 2_000;
/** Half of the requests per second of a bare route. */
const goal = 2;

/** Reads of one Run over a bare Fastify route with the same body, each in a process of its own. */
export function reads(samples: number, entry: string): Promise<CaseResult[]> {
  return withProduct({ entry, files: 0 }, async (product) => {
    const { api, server } = product;
    const { planRunId } = await install(product, 'bench');
    const ours = { url: `${server.url}/api/v1/runs/${planRunId}`, token: server.token };
    const bare = await startBareRoute(await api.get(`/runs/${planRunId}`));
    try {
      const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
      // Both are compiled by then.
      for (const request of [ours, bare]) await loadMs(request, requests);
      for (let index = 0; index < samples; index += 1) {
        times.bare.push(await loadMs(bare, requests));
        times.ours.push(await loadMs(ours, requests));
      }
      return [compare('2,000 reads of a Run', times.ours, times.bare, goal)];
    } finally {
      await bare.stop();
    }
  });
}

async function startBareRoute(body: unknown): Promise<{ url: string; stop(): Promise<void> }> {
  const program = path.join(import.meta.dirname, 'bare-route.ts');
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  child.stdin.end(JSON.stringify(body));
  const first = once(child.stdout, 'data').then(([chunk]) => String(chunk).trim());
  const url = await Promise.race([first, ended.then(() => Promise.reject(new Error('The bare route did not start.')))]);
  return {
    url: `${url}/`,
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
