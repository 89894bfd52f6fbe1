import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Secret } from '#server/kernel/secret';
import { isLoopbackHost } from '#server/kernel/settings';
import { StartError } from '#server/kernel/start-error';

/** Accepts plain http only for this machine: codes and tokens are sent there. */
const Issuer = z.url().refine((text) => {
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '' || search !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}, 'Must be an https address.');

const Provider = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  label: z.string().trim().min(1).max(80),
  issuer: Issuer,
  clientId: z.string().min(1).max(512),
  clientSecret: z
    .string()
    .min(1)
    .max(4_096)
    .transform((text) => new Secret(text))
    .optional(),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/))
    .max(32)
    .default(['openid', 'email', 'profile'])
    .refine((scopes) => scopes.includes('openid'), 'It must contain openid.'),
  /** True when every user that the provider accepts gets an account here. */
  autoProvision: z.boolean().default(false),
});
/** An external sign-in provider that the operator configured. */
export type Provider = z.infer<typeof Provider>;

const setting = 'GROUNDCTL_SIGN_IN_PROVIDERS';

/**
 * Reads the file of external providers, once, at startup. Throws `StartError`, which never repeats a value of the file.
 */
export function readProviders(file: string | undefined): readonly Provider[] {
  if (file === undefined) return [];
  const parsed = z.array(Provider).max(16).safeParse(readJson(file));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.') || 'the file';
    throw new StartError(`${setting}: ${field} is not valid. ${messageOf(issue)} ${file}`);
  }
  const ids = parsed.data.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new StartError(`${setting}: the id ${twice} is used twice. ${file}`);
  return parsed.data;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read';
    throw new StartError(`${setting} names a file that ${why}: ${file}`);
  }
}

function messageOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') return `It has an unknown key: ${issue.keys[0]}.`;
  if (issue?.code === 'custom') return issue.message;
  return 'See the accounts guide.';
}
