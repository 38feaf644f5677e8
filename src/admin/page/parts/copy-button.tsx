/** A button that copies a text, shown where a script can do it. */
import { PAGE_WORDS } from '../words/page.ts';
import { useWords } from '../use-reader.ts';

interface CopyButtonProps {
  /** What is copied. */
  readonly text: string;
  /** What it is called; default: "Copy". */
  readonly label?: string;
}

export function CopyButton({ text, label }: CopyButtonProps) {
  const words = useWords(PAGE_WORDS);
  return (
    <button type="button" class="small" data-copy={text} data-copied={words.copied} hidden>
      {label ?? words.copy}
    </button>
  );
}
