import { findDesktop } from '#shared/desktop';
import { setTitleCount } from '../../ui/document-title.tsx';

const iconPath = '/icon.svg';
const mark = '<circle cx="24" cy="8" r="8" fill="#dc2626"/></svg>';
let icon: Promise<string> | undefined;

/** Shows the number of plans that wait in the title of the tab, on its icon and on the icon of the app. */
export function showCount(count: number, isMore: boolean): void {
  setTitleCount(count, isMore);
  void showIcon(count > 0);
  // Browsers have it for installed pages only. The desktop counts all Workspaces on its own icon.
  if ('setAppBadge' in navigator && !findDesktop(window))
    void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => {});
}

let isMarked = false;
async function showIcon(wantsMark: boolean): Promise<void> {
  if (isMarked === wantsMark) return;
  isMarked = wantsMark;
  icon ??= fetch(iconPath).then((answer) => answer.text());
  const marked = wantsMark ? (await icon.catch(() => '')).replace('</svg>', mark) : '';
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (!link || isMarked !== wantsMark) return;
  link.href = marked === '' ? iconPath : `data:image/svg+xml,${encodeURIComponent(marked)}`;
}
