/** `botbell report`: what BOTs did in a month or on given days, the worst first. */
import { isEmpty, notesOn, SAID_FIGURES, type Telling, titleOf } from '../../admin/page/reports/sayings.ts';
import { formatsFor } from '../../admin/page/reader.ts';
import { translator } from '../../admin/page/words.ts';
import { type FullReport, loadReport, readReport, reportJson } from '../../people/report.ts';
import { namingOf } from '../../render/report-view.ts';
import { csvOf, nameOfDays } from '../../report/report.ts';
import { inColumns } from '../../text/aligned.ts';
import { visible } from '../../text/clean.ts';
import { systemClock } from '../../time/clock.ts';
import { withArchive } from '../with-ledger.ts';
import { type CommandContext, printJson } from '../context.ts';
import type { OptionsOf } from '../help.ts';
import { loadLedgerConfig } from '../load-config.ts';

export async function run(context: CommandContext, { format, bot, ...days }: OptionsOf<'report'>) {
  const config = await loadLedgerConfig(context);
  const { timezone, language } = config.display;
  const now = systemClock.now();
  const given = Object.entries({ ...days, bot_id: bot }).filter(([, text]) => text !== undefined);
  const { asked } = readReport(new URLSearchParams(given as [string, string][]), { timezone, now });
  const report = await withArchive(config, (archive) => loadReport(archive, asked, config));
  const { hide } = context.secrets;
  const formats = formatsFor(language, timezone, now);
  const telling = { t: translator(language), formats, language, redact: hide };
  if (format === 'json') printJson(context, reportJson(report, hide));
  else if (format === 'csv') context.result(hide(csvOf(report)).slice(0, -1));
  else context.result(hide(inLines(report, telling)));
  return 0;
}

const LONGEST_NAME = 40;

function inLines(report: FullReport, telling: Telling): string {
  const notes = [...comparedIn(report, telling), ...notesOn(report, telling)];
  const told = isEmpty(report) ? [telling.t('reports.none')] : [...tableOf(report, telling), ''];
  return [titleOf(report, telling), '', ...told, ...notes].map(visible).join('\n').trimEnd();
}

function tableOf({ total, bots }: FullReport, telling: Telling): readonly string[] {
  const { t, redact } = telling;
  const rowOf = (name: string, figures: typeof total) => [
    name,
    ...SAID_FIGURES.map(({ say }) => say(figures, telling)),
  ];
  const nameOf = namingOf(bots, { most: LONGEST_NAME, redact });
  return inColumns([
    [t('bot'), ...SAID_FIGURES.map(({ head }) => t(head))],
    ...bots.map((bot) => rowOf(nameOf(bot), bot)),
    rowOf(t('reports.all'), total),
  ]);
}

/** `Against October 2026: Runs +3, Errors −2, …` */
function comparedIn({ total, before }: FullReport, telling: Telling): readonly string[] {
  const { t, language } = telling;
  if (before === undefined) return [];
  const changes = SAID_FIGURES.flatMap(({ head, change }) =>
    change === undefined ? [] : [`${t(head)} ${change(total, before.total, telling)}`],
  );
  return [`${t('reports.against', { month: nameOfDays(before, language) })}: ${changes.join(', ')}`];
}
