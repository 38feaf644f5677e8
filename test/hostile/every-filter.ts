/** A template set that prints every value with every filter, where every kind of text lands. */
import type { TemplateFolder } from '../render/render-fixture.ts';

export const EVERY_FILTER = 'every-filter';

const FILTERS = [
  'append: "x"',
  'capitalize',
  'code',
  'date: "%Y"',
  'default: "–"',
  'downcase',
  'escape',
  'escape_once',
  'fit: 80',
  'fit: 3000',
  'headline',
  'inline',
  'json',
  'link: job_url',
  'link: message',
  'localtime',
  'lstrip',
  'multiline',
  'multiline: 90',
  'newline_to_br',
  'normalize_whitespace',
  'number',
  'number_of_words: "auto"',
  'remove: "a"',
  'replace: "a", "bb"',
  'replace_last: "a", "b"',
  'rstrip',
  'sha256',
  'size',
  'slice: 2, 40',
  'slugify',
  'slugify: "latin"',
  'split: "a" | uniq | sort_natural | join: ","',
  'split: "" | reverse | first',
  'squish',
  'strip',
  'strip_html',
  'strip_newlines',
  'truncate: 60',
  'truncatewords: 9',
  'upcase',
  'url_decode',
  'url_encode',
  'lines: 4',
  'table: 4',
];

const VALUES = ['message', 'bot_name', 'job_id', 'outputs[0].name', 'outputs[0].value', 'callback.more'];

const LISTS = `{% for output in outputs limit: 3 %}{{ output.name | fit: 30 }}
{{ output.value | multiline: 300 }}
{{ output.items | lines: 5, 500 }}
{{ output.items | table: 5, 500 }}
{{ output.files | file_lines: 5, 500 }}
{% for file in output.files limit: 3 %}{{ file.name | link: file.url }} {{ file.size | filesize }}{% endfor %}
{% endfor %}{% assign rooms = outputs | shares: 900, 4 %}{{ rooms | join: "," }}
{% if message contains "zz" or message == blank %}!{% endif %}
{% capture all %}{{ message }} {{ bot_name }}{% endcapture %}{{ all | link: job_url }}`;

/** Written with the seed's share of all filters, so that no one template prints more than a message may hold. */
export function writeEveryFilter(folder: TemplateFolder, chosen: number): void {
  const value = VALUES[chosen % VALUES.length] ?? 'message';
  const printed = FILTERS.map((filter) => `{{ ${value} | ${filter} }}`);
  const text = (from: number, to: number) => JSON.stringify(printed.slice(from, to).join('\n'));
  const lists = JSON.stringify(LISTS);
  const slack = `text: ${text(0, 4)}
blocks:
  - { type: header, text: { type: plain_text, text: ${text(4, 8)} } }
  - { type: section, text: { type: mrkdwn, text: ${text(0, 23)} } }
  - { type: section, text: { type: mrkdwn, text: ${text(23, 99)} } }
  - { type: markdown, text: ${text(0, 99)} }
  - { type: rich_text, text: ${text(0, 99)} }
  - { type: rich_text, text: ${lists} }
  - { type: section, text: { type: mrkdwn, text: ${lists} } }
  - { type: actions, elements: [{ type: button, url: "{{ ${value} }}", text: { type: plain_text, text: "{{ ${value} }}" } }] }
  - { type: context, elements: [{ type: mrkdwn, text: "<https://example.com/?q={{ ${value} }}|{{ ${value} }}>" }] }
`;
  const mail = `subject: ${text(0, 9)}
text: ${JSON.stringify(`${printed.join('\n')}\n${LISTS}`)}
html: ${JSON.stringify(`<p>${printed.join('</p>\n<p>')}</p>${LISTS}<a href="https://example.com/?q={{ ${value} }}" title="{{ ${value} }}">x</a>`)}
`;
  for (const status of ['succeeded', 'error', 'executing'])
    folder.write({
      [`${EVERY_FILTER}/slack/${status}.yaml`]: slack,
      [`${EVERY_FILTER}/email/${status}.yaml`]: mail,
    });
}
