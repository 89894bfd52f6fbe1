import { Plus, X } from 'lucide-react';
import type { ComponentType, KeyboardEvent, ReactNode } from 'react';
import { writeJson } from '#shared/kernel/exact-number';
import { escapePointer } from '#shared/kernel/json';
import type { ObjectAttribute } from '#shared/variables/type-expression';
import { useText } from '../../i18n/text.ts';
import { iconClass, inputClass, quietClass } from '../../ui/controls.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { changeThenFocus } from './change-focus.ts';
import { type DraftProps, type StructureProps, useControl } from './control.ts';
import { blankDraft, type Draft, draftOf, elementOf, isList, newItem, newPair } from './draft.ts';
import { useFieldScope } from './field-context.ts';
import { formatPointer } from './read-draft.ts';
import { describeShape } from './shape.ts';

const rows = 'flex flex-col gap-2';
const inset = 'border-l-2 border-line pl-3';

const RemoveButton = ({ what, onRemove }: { what: string; onRemove: () => void }) => {
  const t = useText();
  return (
    <button type="button" className={iconClass} aria-label={t('input.remove', { what })} onClick={onRemove}>
      <X size={16} aria-hidden="true" />
    </button>
  );
};

const AddButton = ({ children, onAdd, what }: { children: ReactNode; onAdd: () => void; what: string }) => (
  <div>
    <button type="button" className={quietClass} aria-label={what} onClick={onAdd}>
      <Plus size={15} aria-hidden="true" /> {children}
    </button>
  </div>
);

/** Enter in a field of a list adds a row below instead of submitting the form. In an empty field it does nothing. */
const addOnEnter = (add: () => void) => (event: KeyboardEvent) => {
  const { target, key, nativeEvent } = event;
  if (key !== 'Enter' || event.defaultPrevented || nativeEvent.isComposing || !(target instanceof HTMLInputElement))
    return;
  event.preventDefault();
  if (target.value !== '') add();
};

export function ItemsControl({
  type,
  draft,
  onChange,
  pointer,
  depth,
  Nested,
}: StructureProps<Extract<Draft, { kind: 'items' }>>) {
  const t = useText();
  const { name } = useFieldScope();
  const { items } = draft;
  const isFixed = type.kind === 'tuple';
  const typeAt = (index: number) => (isList(type) ? elementOf(type, index) : ({ kind: 'any' } as const));
  const add = () => {
    const added = newItem(blankDraft(typeAt(items.length), depth + 1));
    changeThenFocus(
      () => onChange({ kind: 'items', items: [...items, added] }),
      `input-${name}${pointer}/${items.length}`,
    );
  };
  return (
    <div className={`${rows} ${inset}`} {...(!isFixed && { onKeyDown: addOnEnter(add) })}>
      {items.length === 0 && <p className="text-sm text-muted">{t('input.noRows')}</p>}
      {items.map((item, index) => {
        const at = `${pointer}/${index}`;
        const label = `${name}${bracket(at)}`;
        return (
          <div key={item.id} className="flex items-start gap-1">
            <div className="min-w-0 flex-1">
              <Nested
                type={typeAt(index)}
                draft={item.draft}
                pointer={at}
                depth={depth + 1}
                label={label}
                onChange={(changed) =>
                  onChange({
                    kind: 'items',
                    items: items.map((one) => (one === item ? { ...one, draft: changed } : one)),
                  })
                }
              />
            </div>
            {!isFixed && (
              <RemoveButton
                what={label}
                onRemove={() => onChange({ kind: 'items', items: items.filter((one) => one !== item) })}
              />
            )}
          </div>
        );
      })}
      {!isFixed && (
        <AddButton onAdd={add} what={t('input.addTo', { what: `${name}${bracket(pointer)}` })}>
          {t('input.add')}
        </AddButton>
      )}
    </div>
  );
}

/** Formats a name followed by a pointer: `names[0]`, `event.labels`. */
const bracket = (pointer: string): string => {
  const path = formatPointer(pointer);
  return path === '' || path.startsWith('[') ? path : `.${path}`;
};

export function PairsControl(props: StructureProps<Extract<Draft, { kind: 'pairs' }>>) {
  const { type, draft, onChange, pointer, depth, Nested } = props;
  const t = useText();
  const { name } = useFieldScope();
  const { pairs } = draft;
  const element = type.kind === 'map' ? type.element : ({ kind: 'any' } as const);
  const add = () => {
    const added = newPair('', blankDraft(element, depth + 1));
    changeThenFocus(
      () => onChange({ kind: 'pairs', pairs: [...pairs, added] }),
      `input-${name}${pointer}/${pairs.length}/key`,
    );
  };
  const set = (index: number, change: { key?: string; draft?: Draft }) =>
    onChange({ kind: 'pairs', pairs: pairs.map((pair, at) => (at === index ? { ...pair, ...change } : pair)) });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the fields inside
    <div className={`${rows} ${inset}`} onKeyDown={addOnEnter(add)}>
      {pairs.length === 0 && <p className="text-sm text-muted">{t('input.noRows')}</p>}
      {pairs.map((pair, index) => (
        <div key={pair.id} className="flex items-start gap-1">
          <div className="grid min-w-0 flex-1 gap-1 sm:grid-cols-[minmax(7rem,1fr)_2fr]">
            <KeyControl
              value={pair.key}
              pointer={`${pointer}/${index}`}
              label={t('input.keyOf', { what: name, number: index + 1 })}
              onChange={(key) => set(index, { key })}
            />
            <Nested
              type={element}
              draft={pair.draft}
              pointer={`${pointer}/${index}`}
              depth={depth + 1}
              label={t('input.valueOf', { what: visibleText(pair.key) || `${name} ${index + 1}` })}
              onChange={(changed) => set(index, { draft: changed })}
            />
          </div>
          <RemoveButton
            what={visibleText(pair.key) || `${name} ${index + 1}`}
            onRemove={() => onChange({ kind: 'pairs', pairs: pairs.filter((one) => one !== pair) })}
          />
        </div>
      ))}
      <AddButton onAdd={add} what={t('input.addTo', { what: `${name}${bracket(pointer)}` })}>
        {t('input.addPair')}
      </AddButton>
    </div>
  );
}

type KeyProps = { value: string; pointer: string; label: string; onChange: (key: string) => void };

function KeyControl({ value, pointer, label, onChange }: KeyProps) {
  const t = useText();
  const control = useControl(pointer, label);
  return (
    <input
      {...control}
      id={`${control.id}/key`}
      className={`${inputClass} font-mono text-sm`}
      placeholder={t('input.key')}
      spellCheck={false}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

export function MembersControl({
  type,
  draft,
  onChange,
  pointer,
  depth,
  Nested,
}: StructureProps<Extract<Draft, { kind: 'members' }>>) {
  const t = useText();
  const attributes = type.kind === 'object' ? type.attributes : [];
  const set = (name: string, member: Draft | undefined) => {
    const { [name]: _before, ...others } = draft.members;
    onChange({ kind: 'members', members: member ? { ...others, [name]: member } : others });
  };
  return (
    <div className={`${rows} ${inset}`}>
      {attributes.length === 0 && <p className="text-sm text-muted">{t('input.noRows')}</p>}
      {attributes.map((attribute) => (
        <Member
          key={attribute.name}
          attribute={attribute}
          member={draft.members[attribute.name]}
          pointer={`${pointer}/${escapePointer(attribute.name)}`}
          depth={depth + 1}
          Nested={Nested}
          onSet={(member) => set(attribute.name, member)}
        />
      ))}
    </div>
  );
}

type MemberProps = {
  attribute: ObjectAttribute;
  member: Draft | undefined;
  pointer: string;
  depth: number;
  Nested: ComponentType<DraftProps>;
  onSet: (member: Draft | undefined) => void;
};

function Member({ attribute, member, pointer, depth, Nested, onSet }: MemberProps) {
  const t = useText();
  const { name } = useFieldScope();
  const { type, optional, default: fallback } = attribute;
  const label = `${name}${bracket(pointer)}`;
  const start = () =>
    onSet(
      (fallback === undefined || fallback === null ? undefined : draftOf(type, fallback, depth)) ??
        blankDraft(type, depth),
    );
  return (
    <div className="grid min-w-0 gap-1 sm:grid-cols-[10rem_1fr]">
      <div className="min-w-0 pt-1.5 text-sm">
        <span className="font-mono break-words">{visibleText(attribute.name)}</span>{' '}
        <span className="text-xs text-muted">{describeShape(type)}</span>
      </div>
      <div className="flex min-w-0 items-start gap-1">
        {member ? (
          <div className="min-w-0 flex-1">
            <Nested type={type} draft={member} pointer={pointer} depth={depth} label={label} onChange={onSet} />
          </div>
        ) : (
          <p className="flex min-h-9 min-w-0 flex-1 flex-wrap items-center gap-x-2 text-sm text-muted">
            <span className="break-all">
              {fallback === undefined || fallback === null
                ? t('input.leftOut')
                : t('input.default', { value: visibleText(writeJson(fallback)) })}
            </span>
            <button
              type="button"
              className={quietClass}
              aria-label={`${t('input.setValue')}: ${label}`}
              onClick={start}
            >
              {t('input.setValue')}
            </button>
          </p>
        )}
        {member && optional && <RemoveButton what={label} onRemove={() => onSet(undefined)} />}
      </div>
    </div>
  );
}
