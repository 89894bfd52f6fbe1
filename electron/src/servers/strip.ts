import { escapeHtml, pageAddress } from './html.ts';

/** Height of the strip above the page of a saved server. */
export const stripPx = 40;

const style = `body{height:${stripPx}px;display:flex;align-items:center;gap:10px;padding:0 12px;border-bottom:2px solid #b45309;overflow:hidden;white-space:nowrap}
b,span,p{overflow:hidden;text-overflow:ellipsis;margin:0}span{color:var(--muted)}p{color:var(--bad);flex:1;text-align:right}`;

type Strip = { name: string; origin: string; message?: string | undefined; language: string };

/**
 * Returns the strip that says whose page a window shows. It is a page of the desktop beside the page of the server, which
 * can neither draw over it nor read it.
 */
export const stripAddress = ({ name, origin, message, language }: Strip): string =>
  pageAddress({
    title: name,
    language,
    style,
    body: `<b>${escapeHtml(name)}</b><span>${escapeHtml(origin)}</span>${message === undefined ? '' : `<p role="alert">${escapeHtml(message)}</p>`}`,
  });

/** Title of the window of a saved server, which its page does not change. */
export const serverTitle = ({ name, origin }: { name: string; origin: string }): string =>
  `${name} – ${new URL(origin).host} – Ground Control`;

/** Bounds of the page in the content of its window: all but the strip. */
export function pageBounds({ width, height }: { width: number; height: number }) {
  const pageHeight = Math.max(0, height - stripPx);
  return { x: 0, y: stripPx, width, height: pageHeight };
}
