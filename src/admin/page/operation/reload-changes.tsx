/** What a reload would change: who would be told of the last days' callbacks that was not, and who no longer would. */
import { ALL_STATUSES } from '../../../callback/callback.ts';
import type { ReloadPreview, RoutingChange } from '../../services.ts';
import { type Column, Table } from '../parts/table.tsx';
import { Code, Foreign } from '../parts/text.tsx';
import type { Reader } from '../reader.ts';
import { CONFIG_WORDS } from '../words/config.ts';
import { PAGE_WORDS } from '../words/page.ts';
import { Problems } from './problems.tsx';
import { useReader, useWords } from '../use-reader.ts';

interface ReloadChangesProps {
  readonly preview: ReloadPreview;
}

export function ReloadChanges({ preview }: ReloadChangesProps) {
  const reader = useReader();
  const words = useWords(CONFIG_WORDS);
  const { problems, unchanged } = preview;
  return (
    <section class="panel" aria-labelledby="config-preview">
      <header>
        <h2 id="config-preview">{titleOf(preview, reader)}</h2>
      </header>
      <Changes preview={preview} />
      {problems.length === 0 ? null : <Problems problems={problems} />}
      {unchanged.length === 0 ? null : (
        <p>
          {words.unchanged}: <Code text={unchanged.join(', ')} />
        </p>
      )}
    </section>
  );
}

function Changes({ preview }: ReloadChangesProps) {
  const reader = useReader();
  const words = useWords(CONFIG_WORDS);
  const { configHash, changes, since, isComplete, isApplied } = preview;
  const day = reader.formats.day(since);
  if (configHash === undefined) return <p>{words.previewRefused}</p>;
  if (isApplied && changes.length === 0) return <p>{words.previewSame}</p>;
  return (
    <>
      <p>{leadOf(changes.length, isApplied, day, reader)}</p>
      {isComplete ? null : <p class="quiet">{words.previewPart}</p>}
      {changes.length === 0 ? null : (
        <Table
          caption={titleOf(preview, reader)}
          columns={columnsFor(reader)}
          rows={changes}
          keyOf={({ botId, status }) => `${status} ${botId}`}
          empty=""
        />
      )}
    </>
  );
}

function titleOf({ isApplied, changes }: ReloadPreview, { language }: Reader): string {
  const { appliedTitle, previewTitle } = CONFIG_WORDS[language];
  return isApplied && changes.length > 0 ? appliedTitle : previewTitle;
}

function leadOf(changes: number, isApplied: boolean, day: string, { language }: Reader): string {
  const words = CONFIG_WORDS[language];
  if (changes === 0) return words.previewNobody(day);
  return isApplied ? words.appliedLead(day) : words.previewLead(day);
}

function columnsFor(reader: Reader): readonly Column<RoutingChange>[] {
  const words = CONFIG_WORDS[reader.language];
  return [
    { head: words.bot, kind: 'main', cell: ({ botId }) => <Foreign text={botId} /> },
    { head: words.status, cell: ({ status }) => statusInWords(status, reader) },
    { head: words.callbacks, kind: 'number', cell: ({ callbacks }) => reader.formats.number(callbacks) },
    { head: words.added, cell: ({ added }) => <Names names={added} tone="good" sign="+" /> },
    { head: words.removed, cell: ({ removed }) => <Names names={removed} tone="bad" sign="−" /> },
  ];
}

function statusInWords(status: string, { language }: Reader): string {
  const known = ALL_STATUSES.find((name) => name === status);
  return known === undefined ? status : PAGE_WORDS[language].status[known];
}

interface NamesProps {
  readonly names: readonly string[];
  readonly tone: string;
  readonly sign: string;
}

function Names({ names, tone, sign }: NamesProps) {
  if (names.length === 0) return <span class="quiet">–</span>;
  return (
    <ul class="chips">
      {names.map((name) => (
        <li key={name} class={`chip ${tone}`}>
          <span aria-hidden="true">{sign}</span> <Code text={name} />
        </li>
      ))}
    </ul>
  );
}
