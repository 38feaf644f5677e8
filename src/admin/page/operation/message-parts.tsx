/** What stands beside a message: templates that failed over it. */
import type { TemplateFailure } from '../../../render/renderer.ts';
import { Status } from '../parts/status.tsx';
import { Code, Foreign } from '../parts/text.tsx';
import { useReader } from '../use-reader.ts';

export function TemplateFailures({ failures }: { readonly failures: readonly TemplateFailure[] }) {
  const { t } = useReader();
  if (failures.length === 0) return null;
  return (
    <div>
      <Status tone="bad" word={t('delivery.templateFailed')} />
      <ul class="reasons">
        {failures.map(({ format, template, message }) => (
          <li key={`${format} ${message}`}>
            <Code text={`${format}/${template}`} /> <Foreign text={message} />
          </li>
        ))}
      </ul>
    </div>
  );
}
