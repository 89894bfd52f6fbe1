/** Marks an element that holds the focus until something arrives that takes it. */
export const waitingMark = 'data-focus-waits';

/** Whether no control has the focus, so that what arrives may take it. */
export const isUnclaimed = (element: Element | null): boolean =>
  element === null || element === document.body || element.hasAttribute(waitingMark);

const isGone = (element: Element): boolean => !element.isConnected || element.matches(':disabled');

/** The closest ancestor that is still on the page, else its main part. */
const successorOf = (ancestors: readonly HTMLElement[]): HTMLElement | null =>
  ancestors.find((element) => element.isConnected && element !== document.body && element.closest('main')) ??
  document.querySelector<HTMLElement>('main');

function ancestorsOf(element: Element): HTMLElement[] {
  const ancestors: HTMLElement[] = [];
  for (let at = element.parentElement; at; at = at.parentElement) ancestors.push(at);
  return ancestors;
}

/** Gives the focus to an element that is no control, until it leaves. */
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
 * Moves the focus to the closest surviving ancestor when the focused control disappears or is disabled. Without it the
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
  // Removal also blurs: only an element that stays was left by the person.
  document.addEventListener('focusout', ({ target }) =>
    queueMicrotask(() => {
      if (target === focused && !isGone(target as Element)) focused = undefined;
    }),
  );
  // After the effects of the change, which may focus what it brought.
  new MutationObserver(() => focused && isGone(focused) && requestAnimationFrame(restore)).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  });
}
