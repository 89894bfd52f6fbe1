import { escaped, type PageLanguage, plainPage } from '#server/kernel/http/index';
import { type OidcScope, oidcScopes } from '#shared/issuer/contract';

type Texts = {
  title: (name: string) => string;
  intro: string;
  redirect: string;
  workspace: string;
  allow: string;
  deny: string;
  withdraw: string;
  scopes: Readonly<Record<OidcScope, string>>;
};

const texts: Readonly<Record<PageLanguage, Texts>> = {
  en: {
    title: (name) => `Sign in to ${name}`,
    intro: 'It will be able to:',
    redirect: 'You are sent to',
    workspace: 'Workspace',
    allow: 'Allow',
    deny: 'Deny',
    withdraw: 'You can withdraw this on your account page at any time.',
    scopes: {
      openid: 'know that it is you',
      profile: 'see your name',
      email: 'see your e-mail address',
      offline_access: 'keep you signed in for 30 days, or until you withdraw it',
      'capsules:read': 'read the Capsules, Runs and Outputs of the Workspace',
      'capsules:write': 'plan, approve and apply in the Workspace with your role',
    },
  },
  ja: {
    title: (name) => `${name} にサインイン`,
    intro: 'このアプリは次のことができるようになります。',
    redirect: '移動先',
    workspace: 'Workspace',
    allow: '許可する',
    deny: '拒否する',
    withdraw: '許可はアカウントのページでいつでも取り消せます。',
    scopes: {
      openid: 'サインインしたのがあなたであることの確認',
      profile: '名前の表示',
      email: 'メールアドレスの表示',
      offline_access: 'サインインの維持（30 日間、または取り消されるまで）',
      'capsules:read': 'Workspace の Capsule、Run、Output の読み取り',
      'capsules:write': 'あなたの役割でのプラン、承認、適用',
    },
  },
};

type Question = {
  name: string;
  redirectUri: string;
  workspaceName: string | undefined;
  scopes: readonly string[];
};

/** The origin or scheme that a form may lead to: a browser applies `form-action` to the redirect too (CSP 3, 6.1). */
function targetOf(redirectUri: string): { shown: string; source: string } {
  const url = new URL(redirectUri);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  // A source of a policy cannot name an IPv6 address (CSP 3, 2.3.1).
  const source = isWeb && !url.host.startsWith('[') ? url.origin : url.protocol;
  return { shown: isWeb ? url.host : url.protocol, source };
}

/** Returns the page on which an account allows a client. It has no script. */
export function consentPage(lang: PageLanguage, { name, redirectUri, workspaceName, scopes }: Question) {
  const { title, intro, redirect, workspace, allow, deny, withdraw, scopes: scopeTexts } = texts[lang];
  const { shown, source } = targetOf(redirectUri);
  const listed = oidcScopes
    .filter((scope) => scopes.includes(scope))
    .map((scope) => `<li>${escaped(scopeTexts[scope])}</li>`)
    .join('\n');
  const workspaceLine =
    workspaceName === undefined ? '' : `<p>${workspace}: <strong>${escaped(workspaceName)}</strong></p>\n`;
  const page = plainPage(
    lang,
    escaped(title(name)),
    `<p>${redirect}: <code>${escaped(shown)}</code></p>
${workspaceLine}<p>${intro}</p>
<ul>
${listed}
</ul>
<form method="post">
<button class="primary" name="decision" value="allow">${allow}</button>
<button name="decision" value="deny">${deny}</button>
</form>
<p>${withdraw}</p>`,
  );
  return { html: page.html, policy: page.policy.replace("form-action 'none'", `form-action 'self' ${source}`) };
}
