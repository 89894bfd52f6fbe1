import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import type { Recipe } from '#shared/connections/recipe';
import { useRecipeText } from '../../i18n/recipe-text.ts';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { FormEnd } from '../form-end.tsx';
import { type Draft, keyOf } from './draft.ts';
import { type MaterialField, operatorWaysOf, takesOwnNames, type Way, waysOf } from './fields.ts';
import { FileField } from './file-field.tsx';
import { type FormScope, useConnectionForm } from './form-state.ts';
import { OperatorOnly, OperatorWays, TokenNote } from './issued-notes.tsx';
import { OauthSignIn } from './oauth-sign-in.tsx';
import { OwnNames } from './own-names.tsx';
import { Folded, PlainFields, ProviderField } from './plain-fields.tsx';
import { SetupGuide } from './setup-guide.tsx';
import { ValueField } from './value-field.tsx';

type Props = {
  recipe: Recipe;
  /** The provider of the Connection when it is fixed; otherwise the form asks for it. */
  provider?: string | undefined;
  /** A name to begin with. */
  name: string;
  submit: string;
  onCreated: (connection: Connection) => void;
  onCancel: () => void;
  cancel: string;
};

/** Fields of one recipe. The typed values are removed from the page once they are saved. */
export function RecipeForm(props: Props) {
  const ways = waysOf(props.recipe);
  const [wayId, setWayId] = useState(ways[0]?.id);
  const way = ways.find(({ id }) => id === wayId) ?? ways[0];
  const operatorWays = operatorWaysOf(props.recipe);
  if (!way) return <OperatorOnly ways={operatorWays} onCancel={props.onCancel} cancel={props.cancel} />;
  // A recipe without fixed names accepts both variables and files.
  const isOneForm = takesOwnNames(props.recipe) && ways.every(({ fields }) => fields.length === 0);
  return (
    <div className="flex flex-col gap-4">
      <OauthSignIn recipeId={props.recipe.id} name={props.name} />
      {ways.length > 1 && !isOneForm && <WayChoice ways={ways} chosen={way.id} onChoose={setWayId} />}
      {operatorWays.length > 0 && <OperatorWays ways={operatorWays} />}
      {!isOneForm && <SetupGuide way={way} />}
      {way.requestsToken && <TokenNote />}
      <WayForm key={way.id} {...props} way={way} />
    </div>
  );
}

function WayChoice({
  ways,
  chosen,
  onChoose,
}: {
  ways: readonly Way[];
  chosen: string;
  onChoose: (id: string) => void;
}) {
  const t = useText();
  const say = useRecipeText();
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{t('form.way')}</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {ways.map((way) => (
          <label key={way.id} className="flex cursor-pointer items-center gap-2 py-1">
            <input type="radio" name={name} checked={way.id === chosen} onChange={() => onChoose(way.id)} />
            <span lang={say(way.displayName).lang}>{visibleText(say(way.displayName).text)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const firstSource = ({ terraformSource }: Recipe): string =>
  terraformSource === '*' ? '' : (terraformSource[0] ?? '');

function WayForm({ recipe, way, provider, name, submit, onCreated, onCancel, cancel }: Props & { way: Way }) {
  const initialDraft: Partial<Draft> = {
    provider: provider ?? firstSource(recipe),
    name,
    ...(takesOwnNames(recipe) && way.fields.length === 0 && { variables: [{ id: 1, name: '', value: '' }] }),
  };
  const state = useConnectionForm({ recipe, way }, initialDraft);
  const form = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  useEffect(() => {
    const first = form.current?.querySelector<HTMLElement>('input:not([type=file]), textarea, select, button');
    first?.focus();
  }, []);
  useEffect(() => {
    if (attempts === 0) return;
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    wrong?.focus();
    wrong?.scrollIntoView({ block: 'center' });
  }, [attempts]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    // In a dialog the form is nested in another form of the React tree, which must not receive the event.
    event.stopPropagation();
    const connection = await state.send();
    if (connection) return onCreated(connection);
    setAttempts((count) => count + 1);
  };
  return (
    <form
      ref={form}
      noValidate
      autoComplete="off"
      aria-label={visibleText(recipe.displayName)}
      onSubmit={(event) => void send(event)}
      className="flex flex-col gap-4"
    >
      {provider === undefined && <ProviderField recipe={recipe} scope={state} />}
      <Material way={way} scope={state} />
      {takesOwnNames(recipe) && <OwnNames scope={state} />}
      <PlainFields scope={state} />
      <FormEnd save={state} label={submit} onCancel={onCancel} cancel={cancel} />
    </form>
  );
}

/** Required fields of the recipe; optional ones are folded. */
function Material({ way: { fields }, scope }: { way: Way; scope: FormScope }) {
  const t = useText();
  const optional = fields.filter(({ isOptional }) => isOptional);
  const isWrong = optional.some(({ kind, name }) =>
    Object.hasOwn(scope.problems, kind === 'file' ? keyOf.file(name) : keyOf.value(name)),
  );
  return (
    <>
      {fields
        .filter(({ isOptional }) => !isOptional)
        .map((field) => (
          <Field key={`${field.kind}:${field.name}`} field={field} scope={scope} />
        ))}
      {optional.length > 0 && (
        <Folded title={t('form.optional', { count: optional.length })} isOpen={isWrong}>
          {optional.map((field) => (
            <Field key={`${field.kind}:${field.name}`} field={field} scope={scope} />
          ))}
        </Folded>
      )}
    </>
  );
}

const Field = ({ field, scope }: { field: MaterialField; scope: FormScope }) =>
  field.kind === 'file' ? <FileField field={field} scope={scope} /> : <ValueField field={field} scope={scope} />;
