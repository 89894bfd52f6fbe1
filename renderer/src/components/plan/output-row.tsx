import { useMemo } from 'react';
import { useText } from '../../i18n/text.ts';
import { Attributes } from './attributes.tsx';
import { diffOutput } from './diff.ts';
import { KindMark } from './kind-mark.tsx';
import { indentOf, RowButton, type RowHandle } from './row-button.tsx';
import { HighlightedText } from './search-matches.tsx';
import { sideText } from './side-text.ts';
import type { Row } from './tree.ts';

const maxPreview = 80;
const cut = (text: string): string => (text.length > maxPreview ? `${text.slice(0, maxPreview)}…` : text);

export function OutputRow({ row, handle }: { row: Extract<Row, { type: 'output' }>; handle: RowHandle }) {
  const t = useText();
  const { output, kind, isOpen, depth } = row;
  const node = useMemo(() => diffOutput(output), [output]);
  const sides = [sideText(node.before, t), sideText(node.after, t, node.before)].filter((text) => text !== '').map(cut);
  return (
    <>
      <RowButton handle={handle} className={`border-t border-line/70 py-2 pr-4 ${isOpen ? 'bg-raised/50' : ''}`}>
        <span className="flex min-w-0 flex-1 flex-wrap gap-x-3 gap-y-1 md:flex-nowrap">
          <KindMark kind={kind} />
          <span className="min-w-0 flex-1 basis-full font-mono text-[0.93em] leading-5 break-all md:basis-0">
            <span className="font-medium">
              <HighlightedText text={output.name} />
            </span>
            {!isOpen && (
              <span className="ml-3 text-muted">
                <HighlightedText text={sides.join(' → ')} />
              </span>
            )}
          </span>
        </span>
      </RowButton>
      {isOpen && (
        <div className="border-t border-line/70 pt-2 pr-4 pb-4" style={{ paddingLeft: 12 + indentOf(depth) }}>
          <Attributes nodes={[node]} name={output.name} />
        </div>
      )}
    </>
  );
}
