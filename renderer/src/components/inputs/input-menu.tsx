import { Menu } from '@base-ui/react/menu';
import { Check, EllipsisVertical } from 'lucide-react';
import { useRef } from 'react';
import { useText } from '../../i18n/text.ts';
import { iconClass } from '../../ui/controls.tsx';
import { blankDraft, type Draft } from './draft.ts';
import { type Entry, type Input, viewOf } from './entry.ts';
import { usesOutput } from './output-control.tsx';

type Props = { input: Input; entry: Entry; canUseOutputs: boolean; onChange: (change: Entry) => void };

const itemClass =
  'flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 text-sm outline-none data-highlighted:bg-raised data-disabled:opacity-55';

/** Menu of an input with the actions besides typing. */
export function InputMenu(props: Props) {
  const t = useText();
  const { input, entry, canUseOutputs, onChange } = props;
  const { name } = input.declared;
  const opensChooser = useRef(false);
  // A chooser that the menu opened takes the focus; otherwise it returns to the menu's button.
  const finalFocus = () => {
    const returns = !opensChooser.current;
    opensChooser.current = false;
    return returns;
  };
  return (
    <Menu.Root>
      <Menu.Trigger className={iconClass} aria-label={t('input.menu', { what: name })}>
        <EllipsisVertical size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-40 outline-none">
          <Menu.Popup
            finalFocus={finalFocus}
            className="max-w-72 min-w-52 rounded-md border border-line bg-card p-1 shadow-lg outline-none"
          >
            {!usesOutput(entry) && <ValueItems {...props} />}
            {canUseOutputs && !entry.isChoosing && (
              <Menu.Item
                className={itemClass}
                onClick={() => {
                  opensChooser.current = true;
                  onChange({ isChoosing: true });
                }}
              >
                <Space /> {t('input.output.use')}
              </Menu.Item>
            )}
            {usesOutput(entry) && (
              <Menu.Item className={itemClass} onClick={() => onChange({ output: undefined, isChoosing: false })}>
                <Space /> {t('input.output.back')}
              </Menu.Item>
            )}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Actions on a typed value. */
function ValueItems({ input, entry, onChange }: Props) {
  const t = useText();
  const { declared, type } = input;
  const canBeNull = declared.nullable !== false;
  const empty = emptyDraft(input, entry);
  return (
    <>
      {input.canBeSealed && (
        <Mark
          text={t('input.secret')}
          isOn={declared.sensitive === true || entry.isSecret === true}
          isFixed={declared.sensitive === true}
          onChange={(isSecret) => onChange({ isSecret })}
        />
      )}
      {input.isSealed && !entry.draft && (
        <Mark
          text={t('input.removeSealed')}
          isOn={entry.isRemoved === true}
          onChange={(isRemoved) => onChange({ isRemoved })}
        />
      )}
      {(type.kind === 'string' || viewOf(input, entry) === 'text') && (
        <Mark text={t('input.long')} isOn={entry.isLong === true} onChange={(isLong) => onChange({ isLong })} />
      )}
      {canBeNull && (
        <Mark
          text={t('input.null')}
          isOn={entry.draft?.kind === 'null'}
          onChange={(isNull) => onChange({ draft: isNull ? { kind: 'null' } : undefined })}
        />
      )}
      {empty && (
        <Menu.Item className={itemClass} onClick={() => onChange({ draft: empty })}>
          <Space /> {t('input.sendEmpty')}
        </Menu.Item>
      )}
      {entry.draft && (
        <Menu.Item className={itemClass} onClick={() => onChange({ draft: undefined, wasLeft: false })}>
          <Space /> {t(declared.hasDefault ? 'input.useDefault' : 'input.clear')}
        </Menu.Item>
      )}
    </>
  );
}

/** Menu items that send an empty value or null, where the type allows it. */
function emptyDraft({ type, declared }: Input, entry: Entry): Draft | undefined {
  if (entry.draft) return undefined;
  if (type.kind === 'string') return { kind: 'text', text: '' };
  const hasEmpty = type.kind === 'list' || type.kind === 'set' || type.kind === 'map';
  return hasEmpty && entry.view !== 'json' && (declared.hasDefault || !entry.draft) ? blankDraft(type) : undefined;
}

const Space = () => <span aria-hidden="true" className="size-4 shrink-0" />;

type MarkProps = { text: string; isOn: boolean; isFixed?: boolean; onChange: (isOn: boolean) => void };

const Mark = ({ text, isOn, isFixed = false, onChange }: MarkProps) => (
  <Menu.CheckboxItem className={itemClass} checked={isOn} disabled={isFixed} onCheckedChange={onChange} closeOnClick>
    <span className="size-4 shrink-0">{isOn && <Check size={16} aria-hidden="true" />}</span>
    {text}
  </Menu.CheckboxItem>
);
