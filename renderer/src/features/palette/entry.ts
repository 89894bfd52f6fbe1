import type { LucideIcon } from 'lucide-react';

/** Line of the palette: something to open or to do. */
export type Entry = {
  id: string;
  label: string;
  /** Short text beside the label, such as a kind of record or the page of a setting. */
  hint?: string;
  /** Further text that the entry is found by. */
  keywords?: string;
  icon: LucideIcon;
  run: () => void;
};

export type EntryGroup = { value: string; items: Entry[] };
