import { Email } from '#shared/kernel/scalars';
import { type Environment, flag, pathOf, SettingError } from './settings-read.ts';

/** Settings of how people sign in. */
export type SignInSettings = {
  /** True when people sign in with e-mail and password. */
  passwordSignIn: boolean;
  /** Programs can sign people in with this server as OpenID Connect issuer. */
  oidcIssuer: boolean;
  /** Id of the client that apps on phones use, for the discovery document. */
  mobileOidcClientId: string | undefined;
  /** Absolute path of the file of external sign-in providers. */
  signInProviders: string | undefined;
  /** Verified e-mail of the local owner, for a sign-in at a provider. */
  ownerEmail: string | undefined;
};

/** Reads the sign-in settings. `isPersonal`: one person on one machine, where passwords are off unless the environment enables them. */
export const readSignIn = (env: Environment, { isPersonal = false }: { isPersonal?: boolean }): SignInSettings => ({
  passwordSignIn: flag(env, 'GROUNDCTL_PASSWORD_SIGN_IN', !isPersonal),
  oidcIssuer: flag(env, 'GROUNDCTL_OIDC_ISSUER', true),
  mobileOidcClientId: env['GROUNDCTL_MOBILE_OIDC_CLIENT_ID'] || undefined,
  signInProviders: pathOf(env, 'GROUNDCTL_SIGN_IN_PROVIDERS'),
  ownerEmail: ownerEmailOf(env),
});

function ownerEmailOf(env: Environment): string | undefined {
  const text = env['GROUNDCTL_OWNER_EMAIL'];
  if (!text) return undefined;
  const parsed = Email.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettingError('GROUNDCTL_OWNER_EMAIL must be one e-mail, such as owner@example.com.');
}
