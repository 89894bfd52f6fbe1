import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startServer } from '../e2e/fixtures/server.ts';
import { type CaseResult, compare, timed } from './median.ts';

const goal = 8;

/** Time from the start of the server's process to its first response, over one start of Node. */
export async function coldStart(samples: number, entry: string): Promise<CaseResult[]> {
  const server = await startServer({ entry });
  try {
    const times: { ours: number[]; node: number[] } = { ours: [], node: [] };
    for (let index = 0; index < samples; index += 1) {
      process.kill(server.pid, 'SIGTERM');
      await server.gone;
      times.node.push((await timed(() => once(spawn(process.execPath, ['-e', '0']), 'exit'))).ms);
      const start = await timed(async () => {
        await server.restart();
        const response = await fetch(`${server.url}/api/v1/capabilities`);
        if (response.status !== 200) throw new Error(`The server answered ${response.status}.`);
        await response.arrayBuffer();
      });
      times.ours.push(start.ms);
    }
    return [compare('cold start', times.ours, times.node, goal)];
  } finally {
    await server.stop();
  }
}
