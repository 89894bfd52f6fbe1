import { useId } from 'react';
import { SectionTitle } from '../../components/section-title.tsx';
import { SingleKeysChoice } from '../../components/single-keys-choice.tsx';
import { chooseLanguage, languageNames, languages, readLanguage, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { showKeySheet } from '../../ui/keys/key-help.ts';
import { Card } from '../../ui/surface.tsx';
import { chooseTheme, themes, useTheme } from '../../ui/theme.ts';

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly { value: string; text: string }[];
  onChoose: (value: string) => void;
};

function Choice({ label, value, options, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <select
        id={id}
        className="min-h-9 w-full rounded-md border border-line-strong/60 bg-card px-2"
        value={value}
        onChange={({ target }) => onChoose(target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Theme and language of this browser. */
export function Appearance() {
  const t = useText();
  return (
    <Card className="p-4">
      <SectionTitle id="appearance" />
      <p className="mt-1 text-muted">{t('settings.appearance.text')}</p>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Choice
          label={t('theme.label')}
          value={useTheme()}
          options={themes.map((value) => ({ value, text: t(`theme.${value}`) }))}
          onChoose={(value) => chooseTheme(themes.find((one) => one === value) ?? 'system')}
        />
        <Choice
          label={t('language.label')}
          value={readLanguage()}
          options={languages.map((value) => ({ value, text: languageNames[value] }))}
          onChoose={(value) => chooseLanguage(languages.find((one) => one === value) ?? 'en')}
        />
      </div>
    </Card>
  );
}

/** Keys of this browser. */
export function Keyboard() {
  const t = useText();
  return (
    <Card className="p-4">
      <SectionTitle id="keyboard" />
      <div className="mt-3 flex flex-wrap items-start justify-between gap-3">
        <SingleKeysChoice />
        <Button onClick={() => showKeySheet(true)}>{t('settings.keyboard.show')}</Button>
      </div>
    </Card>
  );
}
