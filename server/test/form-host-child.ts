import { type FormRequest, openFormHost } from './form-host-process.ts';

/*
 * A process that answers one request of the form host on a ledger of its own, and that a failpoint may end by SIGKILL.
 * Arguments: folder and request as JSON. Prints the answer.
 */
const [dir = '', request = ''] = process.argv.slice(2);
const { send, close } = openFormHost(dir);
const answer = await send(JSON.parse(request) as FormRequest);
await close();
process.stdout.write(JSON.stringify(answer));
