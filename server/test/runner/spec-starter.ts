import { createRunner } from '../../src/runner/runner.ts';
import { supervisorEntry } from './supervisor-entry.ts';

/** A separate server for one spec: starts it, reports that, and runs until it is killed. */
let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += chunk;
const { standbyDir, spec } = JSON.parse(text) as { standbyDir: string; spec: Parameters<typeof start>[0] };
const { start } = createRunner({ standbyDir, entry: supervisorEntry });
await start(spec);
process.stdout.write('started\n');
setInterval(() => {}, 60_000);
