import { useRecipeText } from '../../i18n/recipe-text.ts';
import { useText } from '../../i18n/text.ts';
import { quietClass } from '../../ui/controls.tsx';
import { Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Says that each Run requests its own token, and gets only that. */
export function TokenNote() {
  const t = useText();
  return <Note title={t('form.token.title')}>{t('form.token.text')}</Note>;
}

/** Names the sign-in methods for which only the operator creates Connections. */
export function OperatorWays({ ways }: { ways: readonly string[] }) {
  const t = useText();
  const say = useRecipeText();
  return (
    <Note title={t('form.operator.title', { names: ways.map((way) => visibleText(say(way).text)).join(', ') })}>
      {t('form.operator.text')}
    </Note>
  );
}

/** Stands for the form of a recipe whose Connections only the operator creates. */
export function OperatorOnly({
  ways,
  onCancel,
  cancel,
}: {
  ways: readonly string[];
  onCancel: () => void;
  cancel: string;
}) {
  return (
    <div className="flex flex-col items-start gap-4">
      <OperatorWays ways={ways} />
      <button type="button" className={quietClass} onClick={onCancel}>
        {cancel}
      </button>
    </div>
  );
}
