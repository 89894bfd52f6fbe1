import { createRunner } from '../../src/runner/runner.ts';
import { supervisorEntry } from './supervisor-entry.ts';

/** A server of its own for one Job: starts it, says so, and stays until it is killed. */
let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
const { standbyDir, job } = JSON.parse(text) as { standbyDir: string; job: Parameters<typeof start>[0] };
const { start } = createRunner({ standbyDir, entry: supervisorEntry });
await start(job);
process.stdout.write('started\n');
setInterval(() => {}, 60_000);
