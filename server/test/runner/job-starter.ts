import { createRunner } from '../../src/runner/runner.ts';
import { supervisorEntry } from './supervisor-entry.ts';

/** A separate server for one Job: starts it, reports that, and runs until it is killed. */
let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
const { standbyDir, job } = JSON.parse(text) as { standbyDir: string; job: Parameters<typeof start>[0] };
const { start } = createRunner({ standbyDir, entry: supervisorEntry });
await start(job);
process.stdout.write('started\n');
setInterval(() => {}, 60_000);
