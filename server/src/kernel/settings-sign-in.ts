import { Email } from '#shared/kernel/scalars';
import { type Environment, flag, pathOf, SettingError } from './settings-read.ts';

/** How people sign in (shapes 4 and 26). */
export type SignInSettings = {
  /** People sign in here with e-mail and password. */
  passwordSignIn: boolean;
  /** File of the external providers that people sign in at, absolute. */
  signInProviders: string | undefined;
  /** Verified e-mail of the local owner, for a sign-in at a provider. */
  ownerEmail: string | undefined;
};

/** `isPersonal`: one person at one machine, where nobody signs in by password unless the environment says so. */
export const readSignIn = (env: Environment, { isPersonal = false }: { isPersonal?: boolean }): SignInSettings => ({
  passwordSignIn: flag(env, 'GROUNDCTL_PASSWORD_SIGN_IN', !isPersonal),
  signInProviders: pathOf(env, 'GROUNDCTL_SIGN_IN_PROVIDERS'),
  ownerEmail: ownerEmailOf(env),
});

function ownerEmailOf(env: Environment): string | undefined {
  const text = env['GROUNDCTL_OWNER_EMAIL'];
  if (!text) return undefined;
  const parsed = Email.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new SettingError('GROUNDCTL_OWNER_EMAIL takes one e-mail, such as owner@example.com.');
}
