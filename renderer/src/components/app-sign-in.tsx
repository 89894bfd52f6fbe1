import type { InstallConfig } from '#shared/install-configs/contract';
import { oidcScopes } from '#shared/issuer/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { useText } from '../i18n/text.ts';
import { Facts } from '../ui/facts.tsx';
import { visibleText } from '../ui/visible-text.ts';

type SignIn = {
  /** Address that people return to: complete once the address of the service is known. */
  returnsTo: string;
  hasAddress: boolean;
  scopes: readonly string[];
};

/** Returns the sign-in that the app of a configuration asks for, with the scopes that every policy allows. */
export function findAppSignIn(
  { installExperience, variableMapping }: Pick<InstallConfig, 'installExperience' | 'variableMapping'>,
  policies: readonly PolicyConfig[] = [],
): SignIn | undefined {
  const projections = installExperience?.projections ?? [];
  const projection = projections.find((one) => one.kind === 'oidc_client');
  if (!projection) return undefined;
  const url = projections.find((one) => one.kind === 'public_endpoint')?.variables.url;
  const address = url === undefined ? undefined : variableMapping[url];
  const hasAddress = typeof address === 'string';
  const { callbackPath, scopes: requested = ['openid'] } = projection;
  const lists = policies.flatMap(({ repositoryInstallUx: one }) =>
    one?.allowedOidcScopes ? [one.allowedOidcScopes] : [],
  );
  const scopes = requested.filter((scope) => lists.every((list) => list.includes(scope)));
  return { returnsTo: `${hasAddress ? address : ''}${callbackPath}`, hasAddress, scopes };
}

/** Scopes in plain language, in display order. */
export function ScopeTexts({ scopes }: { scopes: readonly string[] }) {
  const t = useText();
  return oidcScopes
    .filter((scope) => scopes.includes(scope))
    .map((scope) => t(`account.consent.scope.${scope}`))
    .join(' · ');
}

/** Facts of a sign-in: what the app may request, and where people return to. */
export function AppSignInFacts({ signIn: { returnsTo, hasAddress, scopes } }: { signIn: SignIn }) {
  const t = useText();
  const text = hasAddress ? returnsTo : t('appSignIn.path', { path: returnsTo });
  return (
    <Facts
      items={[
        { term: t('appSignIn.scopes'), value: <ScopeTexts scopes={scopes} /> },
        { term: t('appSignIn.return'), value: <span className="break-all">{visibleText(text)}</span> },
      ]}
    />
  );
}
