import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type Outline, outlineIni, outlineYaml, topKeys } from './outline.ts';
import type { FileFormat } from './task.ts';

/** Check result of one content. */
type ContentInspection = { outline: Outline; startsProgram: boolean; expiries: number[] };

const clean: ContentInspection = { outline: undefined, startsProgram: false, expiries: [] };
const wrong = (what: NonNullable<Outline>['what']): ContentInspection => ({ ...clean, outline: { what } });

const inspectors: Readonly<Record<FileFormat, (text: string) => ContentInspection>> = {
  text: (text) => ({ ...clean, expiries: expiriesOfJwt(text) }),
  pem: inspectPem,
  json: inspectJson,
  ini: (text) => ({ ...clean, outline: outlineIni(text), startsProgram: /^\s*credential_process\s*=/m.test(text) }),
  yaml: (text) => ({ ...clean, outline: outlineYaml(text) }),
  kubeconfig: inspectKubeconfig,
};

/** Parses a content as a format. Never throws. */
export function inspectContent(text: string, format: FileFormat): ContentInspection {
  try {
    return inspectors[format](text);
  } catch {
    return wrong('unreadable');
  }
}

const pemBlock = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Certificates and private keys must parse; parameters and public keys are not checked. */
function inspectPem(text: string): ContentInspection {
  const blocks = [...text.matchAll(pemBlock)];
  if (blocks.length === 0) return wrong('unreadable');
  const expiries: number[] = [];
  for (const [block, label = ''] of blocks) {
    if (label === 'CERTIFICATE') expiries.push(Date.parse(new X509Certificate(block).validTo));
    if (!label.endsWith('PRIVATE KEY')) continue;
    // A Run cannot enter a passphrase.
    if (label.startsWith('ENCRYPTED') || /Proc-Type: 4,ENCRYPTED/.test(block)) return wrong('encrypted');
    // OpenSSH keys have their own format, which this parser does not support.
    if (!label.startsWith('OPENSSH')) createPrivateKey(block);
  }
  return { ...clean, expiries };
}

/** Keys of service accounts must be complete, and their private key must parse. */
function inspectJson(text: string): ContentInspection {
  const value = JSON.parse(text) as Record<string, unknown> | null;
  if (value === null || typeof value !== 'object') return wrong('not_whole');
  if (value['type'] === 'service_account') {
    const { client_email: email, private_key: key } = value;
    if (typeof email !== 'string' || typeof key !== 'string') return wrong('not_whole');
    createPrivateKey(key);
  }
  const source = value['credential_source'] as { executable?: unknown } | null | undefined;
  return { ...clean, startsProgram: source?.executable !== undefined };
}

function inspectKubeconfig(text: string): ContentInspection {
  const isJson = text.trimStart().startsWith('{');
  const outline = isJson ? undefined : outlineYaml(text);
  if (outline) return { ...clean, outline };
  const keys = isJson ? new Set(Object.keys(JSON.parse(text) as object)) : topKeys(text);
  if (!['clusters', 'contexts', 'users'].every((key) => keys.has(key))) return wrong('not_whole');
  if (/["']?(?:certificate-authority|client-certificate|client-key|tokenFile)["']?\s*:\s*["']?[^\s"']/.test(text))
    return wrong('outside_file');
  const expiries = [...text.matchAll(/["']?client-certificate-data["']?\s*:\s*["']?([A-Za-z0-9+/=]+)/g)].flatMap(
    ([, data = '']) => inspectPem(Buffer.from(data, 'base64').toString('latin1')).expiries,
  );
  const startsProgram = /["']?exec["']?\s*:\s*(?:\{|$)/m.test(text);
  return { outline: undefined, startsProgram, expiries: [...expiries, ...expiriesOfJwt(text)] };
}

/** Patterns for tokens in a text that contain their expiry (RFC 7519, 4.1.4). */
export function expiriesOfJwt(text: string): number[] {
  return [...text.matchAll(/(?<![\w-])eyJ[\w-]{5,}\.(eyJ[\w-]{5,})\.[\w-]{5,}/g)].flatMap(([, body = '']) => {
    try {
      const { exp } = JSON.parse(Buffer.from(body, 'base64url').toString()) as { exp?: unknown };
      return typeof exp === 'number' && Number.isFinite(exp) ? [exp * 1_000] : [];
    } catch {
      return [];
    }
  });
}
