import { useState } from 'react';
import { useText } from '../../../i18n/text.ts';
import { quietClass } from '../../../ui/controls.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { outputsAsEnvironment, outputsAsJson } from './output-text.ts';

type Props = { values: Readonly<Record<string, unknown>>; hiddenCount: number };

/** Copies the Outputs that may be shown as JSON or as lines for a shell, and reports what was left out. */
export function CopyOutputs({ values, hiddenCount }: Props) {
  const t = useText();
  const [report, setReport] = useState<string[]>([]);
  const copy = async (text: string, skipped: readonly string[]) => {
    if (!(await copyText(text))) return setReport([t('outputs.copy.failed')]);
    const names = skipped.map((name) => visibleText(name)).join(', ');
    setReport([
      t('outputs.copy.done', { count: Object.keys(values).length - skipped.length }),
      ...(skipped.length > 0 ? [t('outputs.copy.skipped', { names })] : []),
      ...(hiddenCount > 0 ? [t('outputs.copy.hidden', { count: hiddenCount })] : []),
    ]);
  };
  const copyEnvironment = () => {
    const { text, skipped } = outputsAsEnvironment(values);
    return copy(text, skipped);
  };
  if (Object.keys(values).length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2">
      <button type="button" className={`${quietClass} -ml-1.5`} onClick={() => void copy(outputsAsJson(values), [])}>
        {t('outputs.copy.json')}
      </button>
      <button type="button" className={quietClass} onClick={() => void copyEnvironment()}>
        {t('outputs.copy.environment')}
      </button>
      <p role="status" className="min-w-0 flex-1 basis-60 text-xs break-words text-muted">
        {report.join(' ')}
      </p>
    </div>
  );
}
