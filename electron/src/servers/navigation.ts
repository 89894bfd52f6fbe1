import type { OnBeforeRequestListenerDetails } from 'electron';
import { deepLinkScheme } from '#shared/sources/link-address';
import { decideNavigation, type Navigation } from '../navigation.ts';
import { isLoopbackHost } from './address.ts';

/**
 * The window of a saved server shows only pages of its origin. Other web pages and the app of an install link are opened
 * after the person has agreed, and never an address of this machine: another program there, the desktop's own server
 * included, may trust a browser on it. The desktop's own links are denied, because a page could repeat them.
 */
export function decideServerNavigation(address: string, origin: string): Navigation {
  const decision = decideNavigation(address, origin);
  if (decision === 'inside' || decision === 'denied') return decision;
  const { protocol, hostname } = new URL(address);
  if (decision === 'app') return protocol === `${deepLinkScheme}:` ? 'denied' : 'app';
  return isLoopbackHost(hostname) ? 'denied' : 'browser';
}

/** Kind of a request, as Electron names it. */
type ResourceType = OnBeforeRequestListenerDetails['resourceType'];

/**
 * Reports whether a request of such a page is sent: to its own origin, or, other than a document, for data that the page
 * holds itself. So the page reaches neither the desktop's own server nor other programs and machines.
 */
export function isServerRequestAllowed(address: string, type: ResourceType, origin: string): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  const isDocument = type === 'mainFrame' || type === 'subFrame' || type === 'object';
  if (url.protocol === 'data:') return !isDocument;
  if (url.protocol === 'blob:') return !isDocument && url.origin === origin;
  if (!/^(?:https?|wss?):$/.test(url.protocol)) return false;
  // A socket has the origin of the page but for its scheme.
  return type !== 'subFrame' && new URL(url.href.replace(/^ws/, 'http')).origin === origin;
}

/**
 * Reports whether the window of a sign-in provider may send a request: to any web server but those of this machine. Its
 * pages come from several origins, which the person does not know one by one.
 */
export function isSignInRequestAllowed(address: string): boolean {
  const url = URL.parse(address);
  if (!url) return false;
  if (url.protocol === 'data:' || url.protocol === 'blob:') return true;
  return (url.protocol === 'https:' || url.protocol === 'wss:') && !isLoopbackHost(url.hostname);
}

/** Addresses at which a server sends the browser to a sign-in provider and takes it back. */
const signInPath = /^\/api\/v1\/auth\/oidc\/[\w-]+\/(?:start|callback)$/;

/** Decides where a redirect of the main page leads: a server may send the person to the provider that signs them in. */
export function decideServerRedirect(from: string, to: string, origin: string): 'inside' | 'sign-in' | 'denied' {
  if (decideServerNavigation(to, origin) === 'inside') return 'inside';
  const start = URL.parse(from);
  const isStart = start?.origin === origin && signInPath.test(start.pathname);
  return isStart && isSignInRequestAllowed(to) && new URL(to).protocol === 'https:' ? 'sign-in' : 'denied';
}
