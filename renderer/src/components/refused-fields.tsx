import { type RefObject, useEffect, useRef, useState } from 'react';
import { useText } from '../i18n/text.ts';
import { quietClass } from '../ui/controls.tsx';
import { findInvalidControls, focusControl } from './refused-control.ts';

function labelOf(control: HTMLElement): string {
  const legend = isChoice(control) ? control.closest('fieldset')?.querySelector('legend') : null;
  const labels =
    control instanceof HTMLInputElement ||
    control instanceof HTMLTextAreaElement ||
    control instanceof HTMLSelectElement
      ? control.labels
      : null;
  return (control.ariaLabel ?? (legend ?? labels?.[0])?.textContent ?? '').trim();
}

/** Reports whether a control is one of several choices, which are refused together. */
const isChoice = (control: HTMLElement): boolean => control instanceof HTMLInputElement && control.type === 'checkbox';

const isSame = (a: readonly HTMLElement[], b: readonly HTMLElement[]): boolean =>
  a.length === b.length && a.every((element, index) => element === b[index]);

/** Returns the invalid controls of the form around an element, in their order. */
function useRefused(inside: RefObject<HTMLElement | null>, isShown: boolean): readonly HTMLElement[] {
  const [controls, setControls] = useState<readonly HTMLElement[]>([]);
  useEffect(() => {
    const form = inside.current?.closest('form');
    if (!form || !isShown) return setControls([]);
    const read = () => {
      const found = findInvalidControls(form);
      setControls((now) => (isSame(now, found) ? now : found));
    };
    read();
    const observer = new MutationObserver(read);
    observer.observe(form, { subtree: true, childList: true, attributeFilter: ['aria-invalid'] });
    return () => observer.disconnect();
  }, [inside, isShown]);
  return controls;
}

/** Lists the refused fields of the form around it. Each one leads to its field. */
export function RefusedFields({ isShown }: { isShown: boolean }) {
  const t = useText();
  const box = useRef<HTMLDivElement>(null);
  const controls = useRefused(box, isShown);
  return (
    <div ref={box} hidden={controls.length === 0}>
      <div className="rounded-md border border-bad/40 bg-bad-soft px-4 py-2">
        <p className="font-semibold">{t('form.refused', { count: controls.length })}</p>
        <ul className="flex max-h-32 flex-wrap gap-x-2 overflow-y-auto">
          {controls.map((control, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a control has no id of its own
            <li key={index}>
              <button type="button" className={quietClass} onClick={() => focusControl(control)}>
                {labelOf(control) || t('form.refused.field', { number: index + 1 })}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
