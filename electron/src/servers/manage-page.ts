import { escapeHtml, pageAddress } from './html.ts';
import { manageName } from './manage-channel.ts';
import type { ManageRequest } from './manage-requests.ts';
import type { SavedServer } from './saved.ts';
import type { ServerTexts } from './texts.ts';

const style = `main{max-width:560px;margin:0 auto;padding:20px}h1{font-size:18px;margin:0 0 8px}
ul{list-style:none;margin:16px 0;padding:0;border:1px solid var(--line);border-radius:8px}
li{padding:12px;display:flex;flex-wrap:wrap;gap:8px;align-items:center}li+li{border-top:1px solid var(--line)}
li>div{flex:1 1 200px;min-width:0;overflow-wrap:anywhere}p,small{color:var(--muted);margin:0}
form{display:flex;flex-wrap:wrap;gap:8px;align-items:end}label{display:grid;gap:4px;flex:1 1 160px}
input{width:100%}input,button{font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:6px;padding:6px 10px}
button{cursor:pointer}[role=alert]{color:var(--bad);min-height:1.4em;margin:8px 0}code{overflow-wrap:anywhere}`;

/**
 * Sends what a person submits. The desktop replaces the page when the list has changed, and answers with the reason when
 * it refuses. Attributes hold the requests, so that a name is never part of the script.
 */
const script = `const send=async(request)=>{const alert=document.querySelector('[role=alert]');alert.textContent='';
alert.textContent=(await window.${manageName}.request(request))??''};
for(const button of document.querySelectorAll('button[data-kind]'))button.onclick=()=>send({kind:button.dataset.kind,id:button.dataset.id??null});
for(const form of document.forms)form.onsubmit=(event)=>{event.preventDefault();
send({kind:form.dataset.kind,id:form.dataset.id,...Object.fromEntries(new FormData(form))})};`;

const button = (kind: ManageRequest['kind'], text: string, more = ''): string =>
  `<button type="button" data-kind="${kind}"${more}>${escapeHtml(text)}</button>`;

/** A button of one server, whose name a screen reader says with it. */
const serverButton = (kind: ManageRequest['kind'], text: string, { id, name }: SavedServer): string =>
  button(kind, text, ` data-id="${escapeHtml(id)}" aria-label="${escapeHtml(`${text}: ${name}`)}"`);

type ManagePage = { t: ServerTexts; language: string; servers: readonly SavedServer[] };

type PageContent = { title: string; body: string; leave: string };

const page = ({ language }: ManagePage, { title, body, leave }: PageContent): string =>
  pageAddress({
    title,
    language,
    style,
    script,
    body: `<main><h1>${escapeHtml(title)}</h1>${body}<p role="alert"></p>${button('close', leave)}</main>`,
  });

const identity = ({ name, origin }: { name: string; origin: string }): string =>
  `<div><strong>${escapeHtml(name)}</strong><br><small>${escapeHtml(origin)}</small></div>`;

const renameForm = (t: ServerTexts, { id, name }: SavedServer): string =>
  `<form data-kind="rename" data-id="${escapeHtml(id)}"><label>${escapeHtml(t.name)}<input name="name" required maxlength="60" value="${escapeHtml(name)}"></label><button>${escapeHtml(t.rename)}</button></form>`;

/** Returns the page that lists saved servers, and adds, renames and removes them. */
export function managePageAddress(input: ManagePage): string {
  const { t, servers } = input;
  const row = (server: SavedServer) =>
    `<li>${identity(server)}${serverButton('open', t.open, server)}${serverButton('remove', t.remove, server)}${renameForm(t, server)}</li>`;
  const list = servers.length === 0 ? `<p>${escapeHtml(t.none)}</p>` : `<ul>${servers.map(row).join('')}</ul>`;
  const add = `<form data-kind="add"><label>${escapeHtml(t.address)}<input name="address" required maxlength="2048" autofocus autocomplete="off" spellcheck="false"></label><label>${escapeHtml(t.name)}<input name="name" required maxlength="60"></label><button>${escapeHtml(t.add)}</button></form><small>${escapeHtml(t.addressHelp)}</small>`;
  return page(input, { title: t.manageTitle, body: `${list}${add}`, leave: t.close });
}

/** Returns the page on which the person chooses the server that takes an install link. */
export function choosePageAddress(input: ManagePage & { localOrigin: string; target: string }): string {
  const { t, servers, localOrigin, target } = input;
  const local = `<li>${identity({ name: t.local, origin: localOrigin })}${button('take', t.open, ` aria-label="${escapeHtml(`${t.open}: ${t.local}`)}"`)}</li>`;
  const row = (server: SavedServer) => `<li>${identity(server)}${serverButton('take', t.open, server)}</li>`;
  const body = `<p>${escapeHtml(t.chooseText)}</p><p><code>${escapeHtml(target)}</code></p><ul>${local}${servers.map(row).join('')}</ul>`;
  return page(input, { title: t.chooseTitle, body, leave: t.cancel });
}
