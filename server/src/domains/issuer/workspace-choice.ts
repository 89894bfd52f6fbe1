import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { IssuerPerson } from '#server/drivers/issuer/index';
import type { RefusalPage } from '#server/kernel/errors';
import {
  type Caller,
  escaped,
  type PageLanguage,
  pageLanguageOf,
  plainPage,
  type RawReply,
} from '#server/kernel/http/index';
import { cliClientId } from '#shared/issuer/contract';
import { pageRaw, redirectRaw } from './answers.ts';
import { findWorkspaceClaim } from './claims.ts';

export type WorkspaceChoicePorts = {
  workspaces: Pick<WorkspacesService, 'listWorkspaces' | 'findByHandle' | 'findRoles' | 'isLive'>;
};

/** Name of the parameter by which the command line lets a person choose: a handle or an id, or nothing. */
const parameter = 'workspace';
const mostChoices = 100;

const texts = {
  en: {
    title: 'Choose a Workspace for groundctl',
    unknown: 'You are in no open Workspace of that name. These are yours:',
    several: 'The login is for one Workspace.',
    more: 'There are more. Name another one with groundctl login --workspace.',
    none: 'You are in no open Workspace. Ask an owner to let you in.',
  },
  ja: {
    title: 'groundctl で使う Workspace の選択',
    unknown: 'その名前の開いている Workspace には参加していません。参加しているもの:',
    several: 'ログインは 1 つの Workspace に対して行われます。',
    more: 'ほかにもあります。groundctl login --workspace で指定してください。',
    none: '開いている Workspace に参加していません。オーナーに招待を依頼してください。',
  },
} as const;

/**
 * Returns the answer to an authorization request of the command line that names its Workspace by handle, or not at all:
 * a redirect to the same request with the id of the Workspace, or a page that lists those of the account. Undefined for
 * every other request.
 */
export function createChooseWorkspace(ports: WorkspaceChoicePorts) {
  const { workspaces } = ports;
  const findNamed = (accountId: string, named: string): string | undefined => {
    const id = workspaces.findByHandle(named) ?? named;
    return findWorkspaceClaim(ports, accountId, id)?.workspace_id;
  };

  return ({ accountId }: IssuerPerson, caller: Caller, search: string): RawReply | undefined => {
    const sent = new URLSearchParams(search);
    const named = sent.get(parameter);
    const isAnswered = sent.has('workspace_id') || sent.get('prompt') === 'none';
    if (named === null || isAnswered || sent.get('client_id') !== cliClientId) return undefined;
    const { workspaces: all, truncated } = workspaces.listWorkspaces({ accountId }, { limit: mostChoices });
    const only = all.length === 1 ? all[0]?.id : undefined;
    const id = named === '' ? only : findNamed(accountId, named);
    if (id !== undefined) return redirectRaw(302, addressOf(sent, id));
    const list = all.map(({ id, ...names }) => ({ ...names, address: addressOf(sent, id) }));
    return pageRaw(200, choicePage(pageLanguageOf(caller.acceptLanguage), { list, truncated, isNamed: named !== '' }));
  };
}

type Choices = {
  list: { displayName: string; handle: string; address: string }[];
  truncated: boolean;
  isNamed: boolean;
};

function choicePage(lang: PageLanguage, { list, truncated, isNamed }: Choices): RefusalPage {
  const { title, none, unknown, several, more } = texts[lang];
  if (list.length === 0) return plainPage(lang, title, `<p>${none}</p>`);
  const items = list.map(
    ({ displayName, handle, address }) =>
      `<li><a href="${escaped(address)}">${escaped(displayName)}</a> <code>${escaped(handle)}</code></li>`,
  );
  const rest = truncated ? `\n<p>${more}</p>` : '';
  return plainPage(lang, title, `<p>${isNamed ? unknown : several}</p>\n<ul>\n${items.join('\n')}\n</ul>${rest}`);
}

function addressOf(sent: URLSearchParams, workspaceId: string): string {
  const chosen = new URLSearchParams(sent);
  chosen.delete(parameter);
  chosen.set('workspace_id', workspaceId);
  return `/oauth/authorize?${chosen}`;
}
