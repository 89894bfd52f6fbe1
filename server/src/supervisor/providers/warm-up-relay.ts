import { mkdirSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import path from 'node:path';
import { connectProvider, serveProvider } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import type { LaunchContext } from '../launch-context.ts';

const calls = 10;
const protocol = 6;

/** Passes calls through a relay to a provider that answers none, because loading HTTP/2 takes longer than all of them. */
export async function warmUpRelay({ layout }: Pick<LaunchContext, 'layout'>): Promise<void> {
  const folder = layout.host.sockets;
  mkdirSync(folder, { mode: 0o700 });
  const schema = Buffer.alloc(1);
  const provider = await serveProvider(path.join(folder, 'provider'), { protocol, schema });
  const lease = { session: await connectProvider(path.join(folder, 'provider')), release() {} };
  const share = async () => lease;
  const processes = { share, claim: share };
  const relay = await serveProvider(path.join(folder, 'relay'), { protocol, schema, processes });
  const caller = await connectProvider(path.join(folder, 'relay'));
  try {
    for (let count = 0; count < calls; count += 1) await call(caller);
  } finally {
    for (const session of [caller, lease.session]) session.destroy();
    for (const server of [relay, provider]) server.close();
    removeTree(folder);
  }
}

function call(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({ ':method': 'POST', ':path': '/tfplugin6.Provider/ReadResource', te: 'trailers' });
  stream.on('error', () => {});
  stream.resume();
  stream.end(Buffer.alloc(1));
  return new Promise((resolve) => stream.once('close', resolve));
}
