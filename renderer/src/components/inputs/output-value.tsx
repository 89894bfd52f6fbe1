import { writeJson } from '#shared/kernel/exact-number';
import { useText } from '../../i18n/text.ts';
import { Help, Problem } from '../../ui/controls.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { isFit } from '../outputs/output-choice.ts';
import type { Offered } from '../outputs/producers.ts';
import type { Input } from './entry.ts';

const longest = 120;

/** Current value of an Output, and whether it fits the input. */
export function OutputValue({ input, offered }: { input: Input; offered: Offered }) {
  const t = useText();
  const type = visibleText(input.shape);
  const fit = isFit(offered, input.type, input.declared.nullable !== false);
  const text = offered.value === undefined ? undefined : writeJson(offered.value);
  return (
    <>
      {text !== undefined && (
        <Help>
          {t('input.output.now')}{' '}
          <code className="break-all">{visibleText(text.length > longest ? `${text.slice(0, longest)}…` : text)}</code>
        </Help>
      )}
      {offered.isSensitive && <Help>{t('input.output.hidden')}</Help>}
      {fit === false ? (
        <Problem>{t('input.output.misfit', { type })}</Problem>
      ) : (
        <Help>{t(fit ? 'input.output.fits' : 'input.output.unknown', { type })}</Help>
      )}
    </>
  );
}
