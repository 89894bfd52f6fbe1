import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Recipe } from '#shared/connections/recipe';
import { canonicalSource } from '#shared/kernel/provider-source';
import { connectionsQuery, freeName, recipesQuery } from '../../api/connections.ts';
import { useWorkspaceId } from '../../api/session.tsx';
import { isForEvery, recipesFor } from '../../components/connection-form/fields.ts';
import { OauthSignIn } from '../../components/connection-form/oauth-sign-in.tsx';
import { RecipeForm } from '../../components/connection-form/recipe-form.tsx';
import { PickRow, RecipePicker } from '../../components/connection-form/recipe-picker.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { GitTokenForm } from '../../components/git-token-form.tsx';
import { useText } from '../../i18n/text.ts';
import { Card, PageTitle, Skeleton } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { RegistryForm } from './registry-form.tsx';
import type { NewConnectionSearch } from './search.ts';
import { StorageForm } from './storage-form.tsx';

/** Adds a Connection: first its purpose, then its values. The choice is stored in the URL, typed values are not. */
export function NewConnectionPage({ search }: { search: NewConnectionSearch }) {
  const t = useText();
  return (
    <div className="max-w-3xl">
      <PageTitle title={t('connections.new')} lead={t('connection.new.lead')} />
      {search.kind === 'git' && <ForGit />}
      {search.kind === 'registry' && <ForRegistry />}
      {search.kind === 'storage' && <ForStorage />}
      {search.kind === undefined && <ForProvider search={search} />}
    </div>
  );
}

/** Links to continue after saving and back to the choice. */
function useWays() {
  const navigate = useNavigate();
  return {
    choose: (search: NewConnectionSearch) => void navigate({ to: '/connections/new', search }),
    onCreated: ({ id }: { id: string }) => void navigate({ to: '/connections/$id', params: { id }, replace: true }),
  };
}

function ForGit() {
  const t = useText();
  const { choose, onCreated } = useWays();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t('connection.git')}</h2>
      <p className="mt-1 text-muted">{t('connection.git.text')}</p>
      <ul className="mt-2 mb-4 flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>{t('connection.git.scope')}</li>
        <li>{t('connection.git.where')}</li>
        <li>{t('connection.writeOnly')}</li>
      </ul>
      <GitTokenForm
        submit={t('connection.keep')}
        onCreated={onCreated}
        onCancel={() => choose({})}
        cancel={t('form.otherRecipe')}
      />
    </Card>
  );
}

function ForRegistry() {
  const t = useText();
  const { choose, onCreated } = useWays();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t('connection.registry')}</h2>
      <p className="mt-1 text-muted">{t('connection.registry.text')}</p>
      <ul className="mt-2 mb-4 flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>{t('connection.registry.scope')}</li>
        <li>{t('connection.writeOnly')}</li>
      </ul>
      <RegistryForm onCreated={onCreated} onCancel={() => choose({})} />
    </Card>
  );
}

function ForStorage() {
  const t = useText();
  const { choose, onCreated } = useWays();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{t('connection.storage')}</h2>
      <p className="mt-1 text-muted">{t('connection.storage.text')}</p>
      <ul className="mt-2 mb-4 flex list-disc flex-col gap-1 pl-5 text-muted">
        <li>{t('connection.storage.scope')}</li>
        <li>{t('connection.writeOnly')}</li>
      </ul>
      <StorageForm onCreated={onCreated} onCancel={() => choose({})} />
    </Card>
  );
}

function ForProvider({ search }: { search: NewConnectionSearch }) {
  const recipes = useQuery(recipesQuery);
  const connections = useQuery(connectionsQuery(useWorkspaceId()));
  if (recipes.isPending || connections.isPending)
    return (
      <Card>
        <Skeleton lines={6} />
      </Card>
    );
  if (recipes.isError) return <ErrorNote error={recipes.error} onAgain={() => void recipes.refetch()} />;
  const provider = search.provider === undefined ? undefined : canonicalSource(search.provider);
  const fitting = recipesFor(recipes.data, provider);
  const recipe = fitting.find(({ id }) => id === search.recipe);
  if (!recipe) return <Choice recipes={fitting} provider={provider} />;
  return (
    <ByRecipe
      key={recipe.id}
      recipe={recipe}
      provider={provider}
      name={freeName(isForEvery(recipe) ? '' : recipe.displayName, connections.data ?? [])}
    />
  );
}

function Choice({ recipes, provider }: { recipes: readonly Recipe[]; provider: string | undefined }) {
  const t = useText();
  const { choose } = useWays();
  const git = t('connection.git');
  const registry = t('connection.registry');
  const storage = t('connection.storage');
  return (
    <div className="flex flex-col gap-4">
      <OauthSignIn />
      <Card>
        <h2 className="border-b border-line px-4 py-2.5 font-semibold">
          {provider === undefined ? t('form.choose') : t('form.chooseFor', { provider: visibleText(provider) })}
        </h2>
        <RecipePicker
          recipes={recipes}
          onPick={({ id }) => choose({ recipe: id, ...(provider !== undefined && { provider }) })}
          first={
            provider === undefined
              ? [
                  {
                    searchText: `${git} git github gitlab bitbucket https token`,
                    row: <PickRow title={git} text={t('connection.git.text')} onPick={() => choose({ kind: 'git' })} />,
                  },
                  {
                    searchText: `${registry} terraform cloud hcp tfe module token`,
                    row: (
                      <PickRow
                        title={registry}
                        text={t('connection.registry.text')}
                        onPick={() => choose({ kind: 'registry' })}
                      />
                    ),
                  },
                  {
                    searchText: `${storage} s3 minio r2 b2 bucket backup`,
                    row: (
                      <PickRow
                        title={storage}
                        text={t('connection.storage.text')}
                        onPick={() => choose({ kind: 'storage' })}
                      />
                    ),
                  },
                ]
              : []
          }
        />
      </Card>
    </div>
  );
}

type ByRecipeProps = { recipe: Recipe; provider: string | undefined; name: string };

function ByRecipe({ recipe, provider, name }: ByRecipeProps) {
  const t = useText();
  const { choose, onCreated } = useWays();
  return (
    <Card className="p-4">
      <h2 className="font-semibold">{isForEvery(recipe) ? t('form.any') : visibleText(recipe.displayName)}</h2>
      <p className="mt-1 text-muted">{isForEvery(recipe) ? t('form.any.text') : t('form.sealed')}</p>
      <p className="mb-4 text-muted">{t('connection.writeOnly')}</p>
      <RecipeForm
        recipe={recipe}
        provider={provider}
        name={name}
        submit={t('form.keep')}
        onCreated={onCreated}
        onCancel={() => choose(provider === undefined ? {} : { provider })}
        cancel={t('form.otherRecipe')}
      />
    </Card>
  );
}
