import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { useRef, useState } from 'react';
import { maxSearchLength } from '#shared/limits';
import { useText } from '../../i18n/text.ts';
import type { Entry, EntryGroup } from './entry.ts';
import { useEntries } from './use-entries.ts';

type Props = { isOpen: boolean; onClose: () => void };

/** Command palette: a combobox over records, pages, settings and actions. */
export function Palette({ isOpen, onClose }: Props) {
  const chosen = useRef<Entry>(undefined);
  const choose = (entry: Entry) => {
    chosen.current = entry;
    onClose();
  };
  /** Runs the chosen entry when the palette is gone, so that a dialog that it opens keeps the focus. */
  const finish = () => {
    const entry = chosen.current;
    chosen.current = undefined;
    entry?.run();
  };
  return (
    <Dialog.Root
      open={isOpen}
      onOpenChange={(open) => !open && onClose()}
      onOpenChangeComplete={(open) => !open && finish()}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/50" />
        <Dialog.Popup className="fixed top-2 left-1/2 z-50 flex h-[min(30rem,calc(100dvh-1rem))] w-[min(40rem,calc(100vw-1rem))] -translate-x-1/2 flex-col overflow-hidden rounded-lg border border-line bg-card text-ink shadow-xl md:top-[12vh] md:h-[min(30rem,76vh)]">
          <PaletteContent onChoose={choose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function PaletteContent({ onChoose }: { onChoose: (entry: Entry) => void }) {
  const t = useText();
  const [text, setText] = useState('');
  const { groups, status } = useEntries(text);
  return (
    <>
      <Dialog.Title className="sr-only">{t('palette.title')}</Dialog.Title>
      <Autocomplete.Root
        open
        inline
        mode="none"
        autoHighlight="always"
        keepHighlight
        items={groups}
        value={text}
        itemToStringValue={({ label }: Entry) => label}
        onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
      >
        <div className="flex items-center gap-2 border-b border-line px-4">
          <Search size={16} aria-hidden="true" className="shrink-0 text-muted" />
          <Autocomplete.Input
            aria-label={t('palette.search')}
            placeholder={t('palette.search')}
            maxLength={maxSearchLength}
            className="min-h-12 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted"
          />
          <Dialog.Close className="shrink-0 cursor-pointer rounded border border-line px-1.5 py-0.5 text-xs text-muted hover:text-ink">
            {t('palette.close')}
          </Dialog.Close>
        </div>
        <Autocomplete.List
          aria-label={t('palette.results')}
          className="min-h-0 flex-1 scroll-py-2 overflow-y-auto overscroll-contain p-2 empty:hidden"
        >
          {(group: EntryGroup) => <Group key={group.value} group={group} onChoose={onChoose} />}
        </Autocomplete.List>
        <p role="status" className="border-t border-line px-4 py-2 text-xs text-muted">
          {status}
        </p>
      </Autocomplete.Root>
    </>
  );
}

function Group({ group, onChoose }: { group: EntryGroup; onChoose: (entry: Entry) => void }) {
  return (
    <Autocomplete.Group items={group.items} className="not-last:mb-2">
      <Autocomplete.GroupLabel className="px-2 py-1 text-xs font-medium text-muted">
        {group.value}
      </Autocomplete.GroupLabel>
      <Autocomplete.Collection>
        {(entry: Entry) => (
          <Autocomplete.Item
            key={entry.id}
            value={entry}
            onClick={() => onChoose(entry)}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 data-highlighted:bg-accent-soft"
          >
            <entry.icon size={16} aria-hidden="true" className="shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">{entry.label}</span>
            {entry.hint !== undefined && (
              <span className="max-w-[45%] shrink-0 truncate text-xs text-muted">{entry.hint}</span>
            )}
          </Autocomplete.Item>
        )}
      </Autocomplete.Collection>
    </Autocomplete.Group>
  );
}
