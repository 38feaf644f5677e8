/** Where a value stands in Slack's markups. */
import { positionInAddress, type ValuePosition, withoutLiquid } from '../value-position.ts';

export function positionInMrkdwn(source: string, offset: number): ValuePosition {
  const opened = /<([^<>|]*)$/.exec(withoutLiquid(source.slice(0, offset)))?.[1];
  // Slack: "Formatting text": `<address|words>`, `<@user>`, `<#channel>`, `<!special>`; a bracket before a space is a bracket.
  if (opened === undefined || /^\s/.test(opened)) return 'content';
  if (!withoutLiquid(source.slice(offset)).includes('>')) return 'content';
  return positionInAddress(opened);
}

/** CommonMark, "Links", "Link reference definitions" and "Autolinks"; Slack's own brackets as in mrkdwn. */
export function positionInMarkdown(source: string, offset: number): ValuePosition {
  const before = withoutLiquid(source.slice(0, offset));
  const [, inline, definition] =
    /\]\(\s*<?([^\s()<>]*)$|^ {0,3}\[[^\]]+\]:\s*<?([^\s<>]*)$/m.exec(before) ?? [];
  const begun = inline ?? definition;
  return begun === undefined ? positionInMrkdwn(source, offset) : positionInAddress(begun);
}
