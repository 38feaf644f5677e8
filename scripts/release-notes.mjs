// Prints what CHANGELOG.md (or another file) says of a version, as the notes of its release:
// `node scripts/release-notes.mjs v1.0.0 [FILE]`. Exits 1 where it says nothing of it, or that it is unreleased. What is to become
// a version, v1.0.0-rc.1, has the notes of that version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

const [, , tag = '', file = join(ROOT, 'CHANGELOG.md')] = process.argv;
const version = tag.replace(/^v/, '');
const [, ...sections] = readFileSync(file, 'utf8').split(/^## /m);
const [released = '', ...candidate] = version.split('-');
const section = sections.find((each) => each.split(/\s/, 1)[0] === released);

if (section === undefined || (candidate.length === 0 && /^\S+ \(unreleased\)/.test(section))) {
  const names = sections.map((each) => each.split('\n', 1)[0]).join(', ');
  console.error(`there is no release ${JSON.stringify(version)} in ${file}: it has ${names}`);
  process.exit(1);
}

const { homepage } = /** @type {{ homepage: string }} */ (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
);
// On the page of a release, relative links would lead nowhere.
const links = `](${homepage}/blob/v${version}/`;
const notes = section.slice(section.indexOf('\n')).replaceAll(/\]\((?!\w+:)/g, links);
console.log(notes.trim());
