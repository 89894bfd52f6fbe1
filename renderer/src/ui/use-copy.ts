import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';

const usualShownMs = 1_500;

/** Outcome of the last copy: `copied` is shown briefly, `failed` until the next one. */
export function useCopy(shownMs = usualShownMs) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | undefined>();
  useEffect(() => {
    if (outcome !== 'copied') return;
    const timer = setTimeout(() => setOutcome(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [outcome, shownMs]);
  const copy = async (text: string): Promise<void> => setOutcome((await copyText(text)) ? 'copied' : 'failed');
  return { outcome, copy };
}
