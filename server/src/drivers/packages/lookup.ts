import { bounds } from './bounds.ts';
import { type LookupAddress, parseModuleAddress, type RemoteAddress } from './module-address.ts';
import { PackageError } from './package-error.ts';
import { type Answer, failureOfStatus, type PackageHttp } from './package-http.ts';

const peer = { server: 'server of the module', address: 'module address' };

/**
 * Requests an address with `?terraform-get=1` and returns the address that the answer names, in the header
 * `X-Terraform-Get` or in a `meta` element. Its folder is the package then. Throws `PackageError`.
 */
export async function followLookup(http: PackageHttp, address: LookupAddress): Promise<RemoteAddress> {
  const url = new URL(address.url);
  url.searchParams.append('terraform-get', '1');
  const answer = await http.get(url, { maxBytes: bounds.documentBytes });
  const failure = failureOfStatus(answer.status, peer, false);
  if (failure) throw failure;
  const header = answer.headers['x-terraform-get'];
  const text = typeof header === 'string' && header !== '' ? header : await readMeta(answer);
  if (text === undefined) throw noSource();
  const found = parseModuleAddress(text);
  if (found.kind === 'refused')
    throw new PackageError(found.code, `The module address leads elsewhere. ${found.message}`);
  if (found.kind === 'local' || found.kind === 'registry') throw noSource();
  return found;
}

const noSource = (): PackageError =>
  new PackageError(
    'package_not_found',
    'The module address leads to neither an archive nor another address. Add ?archive=zip if it is an archive.',
  );

const element = /<(meta|body)\b([^<>]*)>|<\/head\b/gi;
/** Begins at the start of a name only, because any other start makes the time quadratic in the length of a name. */
const attribute = /(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

/** Finds `<meta name="terraform-get" content="…">` in the head of a page. */
async function readMeta(answer: Answer): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer.body) chunks.push(chunk);
  for (const [, name, text = ''] of Buffer.concat(chunks).toString('utf8').matchAll(element)) {
    if (name?.toLowerCase() !== 'meta') return undefined;
    const found = [...text.matchAll(attribute)].map(
      ([, key = '', double, single, bare]) => [key.toLowerCase(), double ?? single ?? bare ?? ''] as const,
    );
    const values = new Map(found);
    if (values.get('name') === 'terraform-get' && values.get('content')) return values.get('content');
  }
  return undefined;
}
