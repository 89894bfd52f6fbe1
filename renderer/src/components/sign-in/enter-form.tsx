import { type ReactNode, useEffect } from 'react';
import { useIntent } from '../../api/intent.ts';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { type Field, Fields, type Problems, type Typed, useFields } from './fields.tsx';
import { WrongPassword } from './wrong-password.tsx';

type Props = {
  fields: readonly Field[];
  /** What stands in the fields before anything is typed. */
  first?: Typed;
  problemsOf: (typed: Typed) => Problems;
  /** Leaves the page when it goes well; what it throws is told. */
  send: (typed: Typed) => Promise<void>;
  /** Said of a wrong password, and on the button. */
  texts: { wrong: TextId; action: TextId };
  /** Stands above the fields. */
  children?: ReactNode;
};

/** The form of a page that lets somebody in. The first field that has nothing yet has the focus. */
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
      <WrongPassword error={enter.error} text={t(texts.wrong)} />
      <Button type="submit" variant="primary" busy={enter.isBusy}>
        {t(texts.action)}
      </Button>
    </form>
  );
}
