import { type ReactNode, useEffect } from 'react';
import { useIntent } from '../../api/intent.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { RefusedFields } from '../refused-fields.tsx';
import { type Field, Fields, type Problems, type Typed, useFields } from './fields.tsx';
import { WrongPassword } from './wrong-password.tsx';

type Props = {
  fields: readonly Field[];
  /** Initial values of the fields. */
  first?: Typed;
  problemsOf: (typed: Typed) => Problems;
  /** Leaves the page on success. Errors that it throws are shown. */
  send: (typed: Typed) => Promise<void>;
  /** Texts for a wrong password and for the button. */
  texts: { wrong: TextId; action: TextId };
  /** Content above the fields. */
  children?: ReactNode;
};

/** Form of a page for signing in or up. The first empty field has the focus. */
export function EnterForm({ fields, first = {}, problemsOf, send, texts, children }: Props) {
  const t = useText();
  const { form, submit, typed, problems, set } = useFields(first, problemsOf);
  useEffect(() => {
    const inputs = [...form.current.querySelectorAll('input')];
    inputs.find(({ value }) => value === '')?.focus();
  }, [form]);
  const enter = useIntent(() => send(typed));
  return (
    <form ref={form} noValidate onSubmit={submit(() => void enter.run())} className="flex flex-col gap-4">
      {children}
      <Fields fields={fields} typed={typed} problems={problems} set={set} />
      <RefusedFields isShown />
      <WrongPassword error={enter.error} text={t(texts.wrong)} />
      <Button type="submit" variant="primary" busy={enter.isBusy}>
        {t(texts.action)}
      </Button>
    </form>
  );
}
