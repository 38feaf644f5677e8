/** A button that copies a text, shown where a script can do it. */
import { useReader } from '../use-reader.ts';

export function CopyButton({ text }: { readonly text: string }) {
  const { t } = useReader();
  return (
    <button type="button" class="small" data-copy={text} data-copied={t('copied')} hidden>
      {t('copy')}
    </button>
  );
}
