import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { Connection } from '#shared/connections/contract';
import { FormEnd } from '../../components/form-end.tsx';
import { focusInvalid } from '../../components/refused-control.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import type { FieldProps } from './fields.tsx';
import { type NewConnection, useNewConnection } from './new-connection.ts';

type Props<Field extends string> = {
  emptyDraft: Readonly<Record<Field, string>>;
  findProblems: (draft: Readonly<Record<Field, string>>) => Partial<Record<Field, TextId>>;
  /** Returns the problem of the field that a refusal names. */
  findRefused: (error: unknown) => { field: Field; text: TextId } | undefined;
  bodyOf: (draft: Readonly<Record<Field, string>>, workspaceId: string) => NewConnection;
  texts: Readonly<Record<Field, { label: TextId; help: TextId }>>;
  save: TextId;
  onCreated: (connection: Connection) => void;
  onCancel: () => void;
  children: (field: (name: Field) => FieldProps) => ReactNode;
};

/** Form for the settings and secrets of a Connection. The typed values are removed from the page once they are saved. */
export function ConnectionForm<Field extends string>({
  emptyDraft,
  findProblems,
  findRefused,
  ...props
}: Props<Field>) {
  const t = useText();
  const [draft, setDraft] = useState(emptyDraft);
  const [showErrors, setShowErrors] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const make = useNewConnection(props.bodyOf);
  const refused = findRefused(make.error);
  const problems: Partial<Record<Field, TextId>> = showErrors ? findProblems(draft) : {};
  const field = (name: Field): FieldProps => ({
    name,
    ...props.texts[name],
    value: draft[name],
    problem: problems[name] ?? (refused?.field === name ? refused.text : undefined),
    onText: (text) => {
      if (make.error !== undefined) make.reset();
      setDraft({ ...draft, [name]: text });
    },
  });
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  useEffect(() => {
    if (findRefused(make.error)) focusInvalid(form.current);
  }, [make.error, findRefused]);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setShowErrors(true);
    if (Object.keys(findProblems(draft)).length > 0) return focusInvalid(form.current);
    const connection = await make.run(draft);
    if (!connection) return;
    setDraft(emptyDraft);
    setShowErrors(false);
    props.onCreated(connection);
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => void send(event)}
      className="flex flex-col gap-4"
      autoComplete="off"
    >
      {props.children(field)}
      <FormEnd
        save={refused ? { isBusy: make.isBusy } : make}
        label={t(props.save)}
        onCancel={props.onCancel}
        cancel={t('form.otherRecipe')}
      />
    </form>
  );
}
