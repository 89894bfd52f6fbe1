import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Recipe } from '#shared/connections/recipe';
import { useText } from '../../i18n/text.ts';
import { inputClass } from '../../ui/controls.tsx';
import { moveBetweenRows } from '../../ui/keys/row-keys.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { isForEvery, isRecipeMeant } from './fields.ts';

type Props = {
  recipes: readonly Recipe[];
  onPick: (recipe: Recipe) => void;
  /** Rows above the recipes, each shown without a search or when it matches. */
  first?: readonly { searchText: string; row: ReactNode }[];
};

/** Searchable list of recipes. The one for any other provider is always shown. */
export function RecipePicker({ recipes, onPick, first = [] }: Props) {
  const t = useText();
  const [search, setSearch] = useState('');
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const isMeant = (recipe: Recipe) => isForEvery(recipe) || isRecipeMeant(recipe, search);
  const shown = recipes.filter(isMeant);
  const wanted = search.trim().toLocaleLowerCase();
  const shownFirst = first.filter(({ searchText }) => searchText.toLocaleLowerCase().includes(wanted));
  const isNone = shownFirst.length === 0 && shown.every(isForEvery);
  return (
    <div>
      <div className="border-b border-line p-3">
        <input
          ref={field}
          type="search"
          className={inputClass}
          aria-label={t('form.search')}
          placeholder={t('form.search')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            const list = event.currentTarget.closest('div')?.nextElementSibling;
            list?.querySelector<HTMLElement>('[data-row]')?.focus();
          }}
        />
        <p role="status" className={isNone && search !== '' ? 'mt-2 text-sm text-muted' : 'sr-only'}>
          {isNone && search !== '' && t('form.search.none')}
        </p>
      </div>
      <ul className="divide-y divide-line" onKeyDown={moveBetweenRows}>
        {shownFirst.map(({ searchText, row }) => (
          <li key={searchText}>{row}</li>
        ))}
        {shown.map((recipe) => (
          <li key={recipe.id}>
            <PickRow
              title={isForEvery(recipe) ? t('form.any') : visibleText(recipe.displayName)}
              text={
                recipe.terraformSource === '*' ? (
                  t('form.any.text')
                ) : (
                  <code className="font-mono">{recipe.terraformSource.map(visibleText).join(', ')}</code>
                )
              }
              onPick={() => onPick(recipe)}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One choice of the list: the whole row is the button. */
export const PickRow = ({ title, text, onPick }: { title: string; text: ReactNode; onPick: () => void }) => (
  <button
    type="button"
    data-row
    onClick={onPick}
    className="flex w-full cursor-pointer items-center gap-3 px-4 py-2.5 text-left hover:bg-raised focus-visible:-outline-offset-2"
  >
    <span className="min-w-0 flex-1">
      <span className="block font-medium break-words">{title}</span>
      <span className="block text-xs break-words text-muted">{text}</span>
    </span>
    <ChevronRight size={16} aria-hidden="true" className="shrink-0 text-muted" />
  </button>
);
