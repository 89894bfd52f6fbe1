import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import type { Recipe } from '#shared/connections/recipe';
import { connectionsQuery, freeName, recipesQuery } from '../../api/connections.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { useText } from '../../i18n/text.ts';
import { Skeleton } from '../../ui/surface.tsx';
import { ErrorNote } from '../error-note.tsx';
import { isForEvery, recipesFor } from './fields.ts';
import { RecipeForm } from './recipe-form.tsx';
import { RecipePicker } from './recipe-picker.tsx';

type Props = {
  /** The provider that needs it. */
  provider: string;
  submit: string;
  onCreated: (connection: Connection) => void;
  onCancel: () => void;
};

/** Creates a Connection for one provider in place, with the recipe for that provider, or another one on request. */
export function NewProviderConnection({ provider, submit, onCreated, onCancel }: Props) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const recipes = useQuery(recipesQuery);
  const connections = useQuery(connectionsQuery(workspaceId));
  const [picked, setPicked] = useState<Recipe | 'none'>();
  if (recipes.isPending || connections.isPending) return <Skeleton lines={4} />;
  if (recipes.isError) return <ErrorNote error={recipes.error} onAgain={() => void recipes.refetch()} />;
  const fitting = recipesFor(recipes.data, provider);
  const own = fitting.filter((recipe) => !isForEvery(recipe));
  const likely = own.length === 1 || fitting.length === 1 ? fitting[0] : undefined;
  const recipe = picked === 'none' ? undefined : (picked ?? likely);
  if (!recipe) return <RecipePicker recipes={fitting} onPick={setPicked} />;
  return (
    <>
      {fitting.length > 1 && (
        <p className="mb-3 text-sm">
          <button
            type="button"
            className="cursor-pointer text-accent hover:underline"
            onClick={() => setPicked('none')}
          >
            {t('form.otherRecipe')}
          </button>
        </p>
      )}
      <RecipeForm
        key={recipe.id}
        recipe={recipe}
        provider={provider}
        name={freeName(isForEvery(recipe) ? provider : recipe.displayName, connections.data ?? [])}
        submit={submit}
        onCreated={onCreated}
        onCancel={onCancel}
        cancel={t('cancel')}
      />
    </>
  );
}
