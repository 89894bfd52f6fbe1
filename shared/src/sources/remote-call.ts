import type { FindingCode } from './finding-rules.ts';

const lead = 'The module "';
const middle = '" comes from ';
const remedy = '. Only modules inside the repository are used: choose a folder without this call.';

/** Returns the message of a finding about a call that leads out of the repository. */
export const remoteCallMessage = (name: string, address: string): string =>
  `${lead}${name}${middle}${address}${remedy}`;

/** A call of a module elsewhere: the file that contains it, and the address without credentials and query. */
export type RemoteCall = { path: string; name: string; address: string };
type RemoteFinding = { code: FindingCode; message: string; path?: string | undefined };

/** Returns the calls that findings are about, each once, in their order. */
export function remoteCallsOf(findings: readonly RemoteFinding[]): RemoteCall[] {
  const calls = findings.flatMap(readRemoteCall);
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()];
}

function readRemoteCall({ code, message, path = '.' }: RemoteFinding): RemoteCall[] {
  if (code !== 'remote_module_source' || !message.startsWith(lead) || !message.endsWith(remedy)) return [];
  const text = message.slice(lead.length, -remedy.length);
  const at = text.indexOf(middle);
  return at < 0 ? [] : [{ path, name: text.slice(0, at), address: text.slice(at + middle.length) }];
}
