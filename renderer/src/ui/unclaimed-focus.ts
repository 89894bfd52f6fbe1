/** Marks an element that holds the focus until new content takes it. */
export const waitingMark = 'data-focus-waits';

/** Reports whether no control has the focus, so that new content may take it. */
export const isUnclaimed = (element: Element | null): boolean =>
  element === null || element === document.body || element.hasAttribute(waitingMark);

const isGone = (element: Element): boolean => !element.isConnected || element.matches(':disabled');

/** Returns the closest ancestor that is still on the page, else the main element. */
const successorOf = (ancestors: readonly HTMLElement[]): HTMLElement | null =>
  ancestors.find((element) => element.isConnected && element !== document.body && element.closest('main')) ??
  document.querySelector<HTMLElement>('main');

function ancestorsOf(element: Element): HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let at = element.parentElement; at; at = at.parentElement) ancestors.push(at);
  return ancestors;
}

/** Focuses an element that is not a control until it loses the focus. */
function hold(element: HTMLElement): void {
  const isOwn = element.hasAttribute('tabindex');
  if (!isOwn) element.tabIndex = -1;
  element.setAttribute(waitingMark, '');
  element.addEventListener(
    'blur',
    () => {
      element.removeAttribute(waitingMark);
      if (!isOwn) element.removeAttribute('tabindex');
    },
    { once: true },
  );
  element.focus({ preventScroll: true });
}

/**
 * Moves the focus to the closest remaining ancestor when the focused control is removed or disabled. Without it the
 * focus falls to the body, and the next Tab starts at the top of the page.
 */
export function keepFocusOnPage(): void {
  let focused: Element | undefined;
  let ancestors: readonly HTMLElement[] = [];
  const restore = () => {
    if (
      !focused ||
      !isGone(focused) ||
      (document.activeElement !== document.body && document.activeElement !== focused)
    )
      return;
    focused = undefined;
    const successor = successorOf(ancestors);
    if (successor) hold(successor);
  };
  document.addEventListener('focusin', ({ target }) => {
    focused = target as Element;
    ancestors = ancestorsOf(focused);
  });
  // Removal also fires blur: the focus was moved by the user only if the element is still there.
  document.addEventListener('focusout', ({ target }) =>
    queueMicrotask(() => {
      if (target === focused && !isGone(target as Element)) focused = undefined;
    }),
  );
  // Runs after the effects of the change, which may focus new content.
  new MutationObserver(() => focused && isGone(focused) && requestAnimationFrame(restore)).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  });
}
