/** A template set that prints every value with every filter, where every kind of text lands. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const EVERY_FILTER = 'every-filter';

const FILTERS = [
  'append: "x"',
  'capitalize',
  'date: "%Y"',
  'default: "–"',
  'downcase',
  'escape',
  'escape_once',
  'fit: 80',
  'fit: 3000',
  'inline',
  'json',
  'localtime',
  'lstrip',
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
];

const VALUES = ['message', 'bot_name', 'job_id', 'outputs[0].name', 'outputs[0].value', 'callback.more'];

const LISTS = `{% for output in outputs limit: 3 %}{{ output.name | fit: 30 }}
{{ output.value | inline | fit: 300 }}
{% for file in output.files limit: 3 %}{{ file.name }} {{ file.size | filesize }}{% endfor %}
{% endfor %}
{% if message contains "zz" or message == blank %}!{% endif %}`;

/** In each place where a text lands: others in each, and others with each number. */
const FILTERS_AT_ONCE = 7;

/** Into a folder of templates; one value and a few filters a place, so that no message prints more than it may hold. */
export function writeEveryFilter(folder: string, chosen: number): void {
  const value = VALUES[chosen % VALUES.length] ?? 'message';
  let next = chosen * FILTERS_AT_ONCE;
  const printed = () => {
    const filters = Array.from(
      { length: FILTERS_AT_ONCE },
      (_, index) => FILTERS[(next + index) % FILTERS.length],
    );
    next += FILTERS_AT_ONCE;
    return filters.map((filter) => `{{ ${value} | ${filter} }}`).join('\n');
  };
  const text = () => JSON.stringify(printed());
  const lists = JSON.stringify(LISTS);
  const slack = `text: ${text()}
blocks:
  - { type: header, text: { type: plain_text, text: ${text()} } }
  - { type: section, text: { type: mrkdwn, text: ${text()} } }
  - { type: rich_text, elements: [{ type: rich_text_section, elements: [{ type: text, text: ${text()} }] }] }
  - { type: section, text: { type: mrkdwn, text: ${lists} } }
  - { type: actions, elements: [{ type: button, url: "{{ job_url }}", text: { type: plain_text, text: "{{ ${value} }}" } }] }
  - { type: context, elements: [{ type: mrkdwn, text: "<{{ job_url }}|{{ ${value} }}>" }] }
`;
  const mail = `subject: ${text()}
text: ${JSON.stringify(`${printed()}\n${LISTS}`)}
html: ${JSON.stringify(`<p>${printed()}</p>${LISTS}<a href="{{ job_url }}" title="{{ ${value} }}">x</a>`)}
`;
  for (const [format, template] of Object.entries({ slack, email: mail })) {
    const path = join(folder, EVERY_FILTER, format);
    mkdirSync(path, { recursive: true });
    for (const status of ['succeeded', 'error', 'executing'])
      writeFileSync(join(path, `${status}.yaml`), template);
  }
}
