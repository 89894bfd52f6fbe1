const quietMs = 10_000;

/**
 * Passes one question of a page at a time to the person: a second one while it is open, or soon after a refusal, is
 * answered with no. So a page cannot cover the screen with dialogs, or repeat one until the person agrees.
 */
export function createQuestionLimit(now: () => number): (confirm: () => Promise<boolean>) => Promise<boolean> {
  let isOpen = false;
  let quietUntil = Number.NEGATIVE_INFINITY;
  return async (confirm) => {
    if (isOpen || now() < quietUntil) return false;
    isOpen = true;
    try {
      const isAgreed = await confirm();
      if (!isAgreed) quietUntil = now() + quietMs;
      return isAgreed;
    } finally {
      isOpen = false;
    }
  };
}
