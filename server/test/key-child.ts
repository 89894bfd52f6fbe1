import { type KeyStep, keySteps } from '../src/domains/keys/steps.ts';
import { openKeyFixture } from './key-fixture.ts';

/*
 * A process that changes keys and ends itself by SIGKILL at the nth time it passes a step. Arguments: folder, action,
 * step, n.
 */
const [dir = '', action = '', step = '', n = '1'] = process.argv.slice(2);
if (!(keySteps as readonly string[]).includes(step)) throw new Error(`no step ${step}`);
let count = 0;
const passed = (at: KeyStep): void => {
  if (at !== step) return;
  count += 1;
  if (count === Number(n)) process.kill(process.pid, 'SIGKILL');
};
const fixture = await openKeyFixture({ dir, passed });
if (action === 'rotate') fixture.keys.rotate('test');
if (action === 'change') await fixture.keys.changeKey('file', undefined, 'test');
await fixture.keys.settled();
await fixture.close();
