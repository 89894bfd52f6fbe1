import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { chooseLanguage, languages, readLanguage, type TextId, useText } from '../i18n/text.ts';
import { chooseTheme, readTheme, themes } from './theme.ts';

const selectClass = 'w-full rounded-md border border-line bg-card px-2 py-1 text-sm';

/** Theme and language of this browser, and a link to the server settings. */
export function Preferences() {
  const t = useText();
  const [theme, setTheme] = useState(readTheme);
  return (
    <div className="grid grid-cols-2 gap-2 md:flex md:flex-col">
      <label className="text-xs text-muted">
        {t('theme.label')}
        <select
          className={selectClass}
          value={theme}
          onChange={(event) => {
            const chosen = themes.find((one) => one === event.target.value) ?? 'system';
            setTheme(chosen);
            chooseTheme(chosen);
          }}
        >
          {themes.map((one) => (
            <option key={one} value={one}>
              {t(`theme.${one}` satisfies TextId)}
            </option>
          ))}
        </select>
      </label>
      <label className="text-xs text-muted">
        {t('language.label')}
        <select
          className={selectClass}
          value={readLanguage()}
          onChange={(event) => chooseLanguage(languages.find((one) => one === event.target.value) ?? 'en')}
        >
          <option value="en">English</option>
          <option value="ja">日本語</option>
        </select>
      </label>
      <Link to="/docs/api" className="px-1 text-xs text-muted underline-offset-2 hover:text-ink hover:underline">
        {t('nav.api')}
      </Link>
    </div>
  );
}
