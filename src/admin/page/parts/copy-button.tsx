/** A button that copies a text, shown where a script can do it. */
import type { Reader } from '../reader.ts';
import { PAGE_WORDS } from '../words/page.ts';

interface CopyButtonProps {
  /** What is copied. */
  readonly text: string;
  /** What it is called; default: "Copy". */
  readonly label?: string;
  readonly reader: Reader;
}

export function CopyButton({ text, label, reader }: CopyButtonProps) {
  const words = PAGE_WORDS[reader.language];
  return (
    <button type="button" class="small" data-copy={text} data-copied={words.copied} hidden>
      {label ?? words.copy}
    </button>
  );
}
